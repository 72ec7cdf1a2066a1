// What is asked about messages where they are: the body of one, and where one is.

#include <utility>
#include <variant>

#include "broker/doors/common/field_error.h"
#include "broker/doors/common/page_token.h"
#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/convert/convert_trace.h"
#include "broker/doors/grpc/convert/receive_answer.h"
#include "broker/doors/grpc/services/call.h"
#include "broker/doors/grpc/services/messaging_service.h"

namespace wharf {

UnaryReactor* MessagingService::PeekBody(grpc::CallbackServerContext* context,
                                         grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::PeekBodyRequest, v1::PeekBodyResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    const Result<SequenceNumber> number =
        NumberFromProto("sequence_number", call.request().sequence_number());
    if (!number.ok()) return call.Fail(number.status());
    if (call.request().from_byte() < 0) {
      return call.Fail(BadValue("from_byte", "must not be negative"));
    }
    const auto from = static_cast<std::uint64_t>(call.request().from_byte());
    call.requests().Ask(call.caller(),
                        PeekBodyRequest{call.entity(), *number, from, kAnswerBytesMax},
                        [&call, from](Result<BodyPiece> piece) {
                          if (!piece.ok()) return call.Fail(piece.status());
                          ToProto(*std::move(piece), from, &call.response());
                          call.Succeed();
                        });
  });
}

UnaryReactor* MessagingService::TraceMessage(grpc::CallbackServerContext* context,
                                             grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::TraceMessageRequest, v1::TraceMessageResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    Result<WantedMessage> wanted = WantedFromProto(call.request());
    if (!wanted.ok()) return call.Fail(wanted.status());
    Result<TracePosition> from = TracePositionFromPageToken(call.request().page_token());
    if (!from.ok()) return call.Fail(from.status());
    call.requests().Ask(call.caller(),
                        TraceRequest{call.entity(), *std::move(wanted), *std::move(from)},
                        [&call](const Result<TracePage>& page) {
                          if (!page.ok()) return call.Fail(page.status());
                          ToProto(*page, &call.response());
                          if (page->next) {
                            call.response().set_next_page_token(PageTokenOf(*page->next));
                          }
                          call.Succeed();
                        });
  });
}

}  // namespace wharf
