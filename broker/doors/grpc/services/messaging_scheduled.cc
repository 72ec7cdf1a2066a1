// Scheduled messages.

#include <utility>

#include "broker/doors/common/field_error.h"
#include "broker/doors/common/page_token.h"
#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/convert/convert_time.h"
#include "broker/doors/grpc/convert/page_size.h"
#include "broker/doors/grpc/convert/receive_answer.h"
#include "broker/doors/grpc/services/call.h"
#include "broker/doors/grpc/services/messaging_service.h"

namespace wharf {
namespace {

constexpr std::uint32_t kScheduledPageMax = 250;

}  // namespace

UnaryReactor* MessagingService::CancelScheduledMessages(grpc::CallbackServerContext* context,
                                                        grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::CancelScheduledMessagesRequest, v1::CancelScheduledMessagesResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    Result<Numbers> numbers = NumbersFromProto(call.request().sequence_numbers());
    if (!numbers.ok()) return call.Fail(numbers.status());
    call.requests().Ask(call.caller(), CancelScheduledRequest{call.entity(), *std::move(numbers)},
                        AnswerDone(call));
  });
}

UnaryReactor* MessagingService::RescheduleMessages(grpc::CallbackServerContext* context,
                                                   grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::RescheduleMessagesRequest, v1::RescheduleMessagesResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    Result<Numbers> numbers = NumbersFromProto(call.request().sequence_numbers());
    if (!numbers.ok()) return call.Fail(numbers.status());
    if (!call.request().has_scheduled_enqueue_time()) {
      return call.Fail(BadValue("scheduled_enqueue_time", "is absent"));
    }
    const Result<Timestamp> time =
        TimeFromProto("scheduled_enqueue_time", call.request().scheduled_enqueue_time());
    if (!time.ok()) return call.Fail(time.status());
    call.requests().Ask(call.caller(), RescheduleRequest{call.entity(), *std::move(numbers), *time},
                        AnswerDone(call));
  });
}

UnaryReactor* MessagingService::ActivateScheduledMessages(grpc::CallbackServerContext* context,
                                                          grpc::ByteBuffer* response) {
  using Call =
      UnaryCall<v1::ActivateScheduledMessagesRequest, v1::ActivateScheduledMessagesResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    Result<Numbers> numbers = NumbersFromProto(call.request().sequence_numbers());
    if (!numbers.ok()) return call.Fail(numbers.status());
    call.requests().Ask(
        call.caller(), ActivateScheduledRequest{call.entity(), *std::move(numbers)},
        [&call](const Result<Numbers>& activated) {
          if (!activated.ok()) return call.Fail(activated.status());
          for (const SequenceNumber number : *activated) {
            call.response().add_sequence_numbers(static_cast<std::int64_t>(number.value()));
          }
          call.Succeed();
        });
  });
}

UnaryReactor* MessagingService::ListScheduledMessages(grpc::CallbackServerContext* context,
                                                      grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::ListScheduledMessagesRequest, v1::ListScheduledMessagesResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    const Result<std::uint32_t> count =
        PageSizeFromProto(call.request().page_size(), kScheduledPageMax);
    if (!count.ok()) return call.Fail(count.status());
    const Result<ScheduledTime> from = ScheduledTimeFromPageToken(call.request().page_token());
    if (!from.ok()) return call.Fail(from.status());
    call.requests().Ask(call.caller(),
                        ListScheduledRequest{call.entity(), *from, *count, kAnswerBytesMax,
                                             call.request().without_bodies()},
                        [&call](const Result<ScheduledPage>& page) {
                          if (!page.ok()) return call.Fail(page.status());
                          ToProto(*page, &call.response());
                          call.Succeed();
                        });
  });
}

}  // namespace wharf
