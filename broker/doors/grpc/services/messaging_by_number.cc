// Messages that are named by their numbers.

#include <utility>

#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/convert/convert_session.h"
#include "broker/doors/grpc/convert/convert_time.h"
#include "broker/doors/grpc/convert/receive_answer.h"
#include "broker/doors/grpc/services/call.h"
#include "broker/doors/grpc/services/messaging_service.h"

namespace wharf {

UnaryReactor* MessagingService::ReceiveDeferred(grpc::CallbackServerContext* context,
                                                grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::ReceiveDeferredRequest, v1::ReceiveResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    const Result<ReceiveMode> mode = FromProto(call.request().mode());
    if (!mode.ok()) return call.Fail(mode.status());
    Result<Numbers> numbers = NumbersFromProto(call.request().sequence_numbers());
    if (!numbers.ok()) return call.Fail(numbers.status());
    const auto session = OptionalSessionTokenFromProto(call.request().session_lock_token());
    if (!session.ok()) return call.Fail(session.status());
    call.requests().Ask(call.caller(),
                        ReceiveDeferredRequest{call.entity(), *std::move(numbers), *mode, *session,
                                               call.request().takes_large()},
                        [&call, mode = *mode](Result<std::vector<Delivered>> received) {
                          AnswerReceive(call, mode, std::move(received));
                        });
  });
}

UnaryReactor* MessagingService::UndeferMessages(grpc::CallbackServerContext* context,
                                                grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::UndeferMessagesRequest, v1::UndeferMessagesResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    Result<Numbers> numbers = NumbersFromProto(call.request().sequence_numbers());
    if (!numbers.ok()) return call.Fail(numbers.status());
    call.requests().Ask(call.caller(), UndeferRequest{call.entity(), *std::move(numbers)},
                        AnswerDone(call));
  });
}

UnaryReactor* MessagingService::ReceiveBySequenceNumber(grpc::CallbackServerContext* context,
                                                        grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::ReceiveBySequenceNumberRequest, v1::ReceiveResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    const Result<ReceiveMode> mode = FromProto(call.request().mode());
    if (!mode.ok()) return call.Fail(mode.status());
    const Result<SequenceNumber> number =
        NumberFromProto("sequence_number", call.request().sequence_number());
    if (!number.ok()) return call.Fail(number.status());
    const auto session = OptionalSessionTokenFromProto(call.request().session_lock_token());
    if (!session.ok()) return call.Fail(session.status());
    call.requests().Ask(call.caller(), ReceiveOneRequest{call.entity(), *number, *mode, *session},
                        [&call, mode = *mode](Result<std::vector<Delivered>> received) {
                          AnswerReceive(call, mode, std::move(received));
                        });
  });
}

UnaryReactor* MessagingService::SettleBySequenceNumber(grpc::CallbackServerContext* context,
                                                       grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::SettleBySequenceNumberRequest, v1::SettleBySequenceNumberResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    const Result<SequenceNumber> number =
        NumberFromProto("sequence_number", call.request().sequence_number());
    if (!number.ok()) return call.Fail(number.status());
    Result<Settlement> settlement = FromProto(call.request());
    if (!settlement.ok()) return call.Fail(settlement.status());
    call.requests().Ask(call.caller(),
                        SettleOneRequest{call.entity(), *number, *std::move(settlement)},
                        AnswerDone(call));
  });
}

UnaryReactor* MessagingService::ExportBySequenceNumber(grpc::CallbackServerContext* context,
                                                       grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::ExportBySequenceNumberRequest, v1::ExportBySequenceNumberResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    const Result<SequenceNumber> number =
        NumberFromProto("sequence_number", call.request().sequence_number());
    if (!number.ok()) return call.Fail(number.status());
    call.requests().Ask(
        call.caller(),
        ExportOneRequest{call.entity(), *number, call.request().from_row(), kAnswerBytesMax},
        [&call](Result<QuarantineExport> page) {
          if (!page.ok()) return call.Fail(page.status());
          ToProto(*std::move(page), &call.response());
          call.Succeed();
        });
  });
}

UnaryReactor* MessagingService::DeleteMessages(grpc::CallbackServerContext* context,
                                               grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::DeleteMessagesRequest, v1::DeleteMessagesResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    // What is stored was enqueued before now, so that without a time there is nothing to compare.
    Timestamp before = kNever;
    if (call.request().has_enqueued_before()) {
      const Result<Timestamp> time =
          TimeFromProto("enqueued_before", call.request().enqueued_before());
      if (!time.ok()) return call.Fail(time.status());
      before = *time;
    }
    call.requests().Ask(call.caller(),
                        DeleteOldestRequest{call.entity(), call.request().max_messages(), before},
                        [&call](const Result<std::int64_t>& deleted) {
                          if (!deleted.ok()) return call.Fail(deleted.status());
                          call.response().set_deleted_count(*deleted);
                          call.Succeed();
                        });
  });
}

}  // namespace wharf
