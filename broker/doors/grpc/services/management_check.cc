// Whether an entity agrees with itself.

#include "broker/doors/grpc/services/call.h"
#include "broker/doors/grpc/services/management_service.h"
#include "broker/requests/check_requests.h"

namespace wharf {
namespace {

void Fill(v1::CheckEntityResponse& proto, const RecountReport& report) {
  proto.set_checked_message_count(report.messages);
  proto.set_repaired(report.is_repaired);
  proto.set_fence(report.fence);
  for (const RecountDifference& each : report.differences) {
    v1::CheckDifference& difference = *proto.add_differences();
    difference.set_is_of_dead_letter_queue(each.lane == LaneKind::kDeadLetter);
    difference.set_what(each.what);
    difference.set_counted(each.counted);
    difference.set_found(each.found);
  }
}

}  // namespace

UnaryReactor* ManagementService::CheckEntity(grpc::CallbackServerContext* context,
                                             grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::CheckEntityRequest, v1::CheckEntityResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    call.entity_path = call.request().entity_path();
    call.requests().Ask(call.caller(),
                        CheckEntityRequest{call.entity_path, call.request().repair()},
                        [&call](const Result<RecountReport>& report) {
                          if (!report.ok()) return call.Fail(report.status());
                          Fill(call.response(), *report);
                          call.Succeed();
                        });
  });
}

}  // namespace wharf
