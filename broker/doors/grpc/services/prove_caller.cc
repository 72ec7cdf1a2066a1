#include "broker/doors/grpc/services/prove_caller.h"

#include <string_view>

namespace wharf {
namespace {

// Names of metadata are lower case on the wire.
constexpr char kAuthorization[] = "authorization";

Status Prove(CallGate::Ticket& ticket, const grpc::ServerContextBase& context) {
  const auto& metadata = context.client_metadata();
  const auto [begin, end] = metadata.equal_range(kAuthorization);
  if (begin == end) return ticket.Prove({});
  if (std::next(begin) != end) {
    return {ErrorCode::kUnauthorized, "the token is malformed: there are several `authorization`"};
  }
  return ticket.Prove(std::string_view(begin->second.data(), begin->second.size()));
}

}  // namespace

Status ProveCaller(CallGate::Ticket& ticket, const grpc::ServerContextBase& context,
                   const AboutRequest& about) {
  access::Guard* const guard = ticket.broker().guard;
  if (guard == nullptr) return {};
  Status refused = Prove(ticket, context);
  if (!refused.ok()) {
    guard->NoteRefusal(refused, ticket.permit(), context.peer(), ToString(about.tracking_id));
  }
  return refused;
}

}  // namespace wharf
