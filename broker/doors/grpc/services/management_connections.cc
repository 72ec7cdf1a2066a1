// Who is connected over AMQP, and how an operator sends a client away.
#include <cstdint>
#include <vector>

#include <fmt/format.h>
#include <google/protobuf/empty.pb.h>

#include "broker/doors/common/page_token.h"
#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/convert/page_size.h"
#include "broker/doors/grpc/services/call.h"
#include "broker/doors/grpc/services/management_service.h"
#include "broker/requests/connection_control.h"

namespace wharf {
namespace {

void Fill(v1::Connection& proto, const ConnectionInfo& info) {
  proto.set_id(info.id);
  proto.set_client_address(info.peer);
  proto.set_rule(info.rule);
  ToProto(info.since, proto.mutable_since());
  proto.set_link_count(static_cast<std::int64_t>(info.links));
  proto.set_unsettled_count(static_cast<std::int64_t>(info.unsettled));
  proto.set_received_bytes(static_cast<std::int64_t>(info.received_bytes));
  proto.set_sent_bytes(static_cast<std::int64_t>(info.sent_bytes));
}

}  // namespace

UnaryReactor* ManagementService::ListConnections(grpc::CallbackServerContext* context,
                                                 grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::ListConnectionsRequest, v1::ListConnectionsResponse>;
  return Call::Start(gates_, context, response, [](Call& call) {
    const Status refused = call.requests().Allow(call.caller(), ManageConnections());
    if (!refused.ok()) return call.Fail(refused);
    const Result<std::uint32_t> count = PageSizeFromProto(call.request().page_size());
    if (!count.ok()) return call.Fail(count.status());
    // A number, as those of jobs.
    const Result<JobId> after = JobIdFromPageToken(call.request().page_token());
    if (!after.ok()) return call.Fail(after.status());
    const ConnectionControl* const connections = call.broker().connections;
    if (connections == nullptr) return call.Succeed();
    std::vector<ConnectionInfo> page = connections->List(after->value(), *count + 1);
    const bool has_more = page.size() > *count;
    if (has_more) page.pop_back();
    for (const ConnectionInfo& info : page) Fill(*call.response().add_connections(), info);
    if (has_more) call.response().set_next_page_token(PageTokenOf(JobId(page.back().id)));
    call.Succeed();
  });
}

UnaryReactor* ManagementService::CloseConnection(grpc::CallbackServerContext* context,
                                                 grpc::ByteBuffer* response) {
  using Call = UnaryCall<v1::CloseConnectionRequest, google::protobuf::Empty>;
  return Call::Start(gates_, context, response, [](Call& call) {
    const Status refused = call.requests().Allow(call.caller(), ManageConnections());
    if (!refused.ok()) return call.Fail(refused);
    ConnectionControl* const connections = call.broker().connections;
    const Status closed =
        connections != nullptr
            ? connections->Close(call.request().id())
            : Status(ErrorCode::kMessagingEntityNotFound,
                     fmt::format("there is no connection {}", call.request().id()));
    if (!closed.ok()) return call.Fail(closed);
    call.Succeed();
  });
}

}  // namespace wharf
