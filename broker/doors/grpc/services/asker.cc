#include "broker/doors/grpc/services/asker.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <grpc/grpc_security_constants.h>

#include "broker/doors/common/trace_header.h"
#include "broker/doors/grpc/inner_channel.h"

namespace wharf {
namespace {

// Names of metadata are lower case on the wire.
constexpr char kAuthorization[] = "authorization";

// All that the call sends of it.
std::vector<std::string_view> TokensOf(const grpc::ServerContextBase& context) {
  std::vector<std::string_view> tokens;
  const auto [begin, end] = context.client_metadata().equal_range(kAuthorization);
  for (auto each = begin; each != end; ++each) {
    tokens.emplace_back(each->second.data(), each->second.size());
  }
  return tokens;
}

// Of the certificate of the client, which was believed when the connection began; empty: it has
// none.
std::string SubjectOf(const grpc::ServerContextBase& context) {
  const auto authenticated = context.auth_context();
  if (authenticated == nullptr) return {};
  const auto subjects = authenticated->FindPropertyValues(GRPC_X509_SUBJECT_PROPERTY_NAME);
  return subjects.empty() ? "" : std::string(subjects.front().data(), subjects.front().size());
}

Status Prove(CallGate::Ticket& ticket, const std::vector<std::string_view>& tokens,
             const grpc::ServerContextBase& context) {
  if (tokens.size() > 1) {
    return {ErrorCode::kUnauthorized, "the token is malformed: there are several `authorization`"};
  }
  if (tokens.size() == 1) return ticket.Prove(tokens.front());
  const std::string subject = SubjectOf(context);
  return subject.empty() ? ticket.Prove({}) : ticket.ProveCertificate(subject);
}

// Sockets have addresses; what is inside has none.
bool IsFromInside(const grpc::ServerContextBase& context) {
  const std::string peer = context.peer();
  return !peer.starts_with("ipv4:") && !peer.starts_with("ipv6:") && !peer.starts_with("unix:");
}

VouchedCallers::CallerPtr FindVouched(const VouchedCallers& vouched,
                                      const grpc::ServerContextBase& context) {
  const auto& metadata = context.client_metadata();
  const auto handle = metadata.find(kVouchedMetadata);
  if (handle == metadata.end() || !IsFromInside(context)) return nullptr;
  return vouched.Find({handle->second.data(), handle->second.size()});
}

TraceId TraceOf(const grpc::ServerContextBase& context) {
  const auto said = context.client_metadata().find(kTraceHeader);
  return said == context.client_metadata().end()
             ? TraceId()
             : TraceIdOf({said->second.data(), said->second.size()});
}

}  // namespace

Asker::Asker(const VouchedCallers& vouched, const grpc::ServerContextBase& context)
    : Asker(FindVouched(vouched, context), context) {}

Asker::Asker(VouchedCallers::CallerPtr vouched, const grpc::ServerContextBase& context)
    : context_(context),
      vouched_(std::move(vouched)),
      peer_(vouched_ == nullptr ? context.peer() : vouched_->peer),
      tracking_id_(vouched_ == nullptr ? NewTrackingId() : vouched_->tracking_id),
      trace_id_(vouched_ == nullptr ? TraceOf(context) : vouched_->trace_id) {}

Status Asker::Prove(CallGate::Ticket& ticket, const AboutRequest& about) const {
  access::Guard* const guard = ticket.guard();
  if (guard == nullptr) return {};
  Status refused = ProveItself(ticket);
  if (!refused.ok()) {
    const std::vector<std::string_view> tokens = TokensOf(context_);
    guard->NoteRefusal(refused, ticket.permit(), peer_, ToString(about.tracking_id),
                       tokens.empty() ? std::string_view() : tokens.front());
  }
  return refused;
}

Status Asker::RefusalOf(CallGate::Ticket& ticket) const {
  const bool is_known = ticket.guard() == nullptr || ProveItself(ticket).ok();
  return is_known ? ticket.refusal() : ticket.refusal_of_strangers();
}

Status Asker::ProveItself(CallGate::Ticket& ticket) const {
  if (vouched_ != nullptr) return ticket.Accept(vouched_->permit);
  return wharf::Prove(ticket, TokensOf(context_), context_);
}

}  // namespace wharf
