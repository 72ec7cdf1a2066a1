#include "broker/doors/http/operators.h"

#include <string>
#include <string_view>
#include <utility>

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <absl/strings/match.h>
#include <absl/strings/strip.h>

#include "broker/access/guard.h"
#include "broker/doors/common/local_peer.h"
#include "broker/doors/http/router.h"
#include "broker/requests/caller.h"

namespace wharf {
namespace {

using access::PermitPtr;

constexpr absl::string_view kBasic = "Basic ";
// Whatever a rule and its key are called, they are shorter.
constexpr std::size_t kBasicBytesMax = 1024;

Status NoPair() {
  return {ErrorCode::kUnauthorized,
          "behind Basic stands base64 of the name of a rule, a colon and a key of it"};
}

Result<PermitPtr> ProvePair(access::Guard& guard, absl::string_view encoded) {
  std::string pair;
  const bool is_text = encoded.size() <= kBasicBytesMax && absl::Base64Unescape(encoded, &pair);
  const std::size_t colon = pair.find(':');
  if (!is_text || colon == std::string::npos) return NoPair();
  return guard.ProveKey(std::string_view(pair).substr(0, colon),
                        std::string_view(pair).substr(colon + 1));
}

Result<PermitPtr> Prove(access::Guard& guard, const HttpRequest& request) {
  if (request.authorization.empty() && !request.subject.empty()) {
    return guard.ProveCertificate(request.subject);
  }
  absl::string_view said = request.authorization;
  if (absl::StartsWithIgnoreCase(said, kBasic)) {
    return ProvePair(guard, absl::StripAsciiWhitespace(said.substr(kBasic.size())));
  }
  return guard.Prove(request.authorization);
}

// Where nobody can prove anything yet.
bool IsLetInWithoutRules(const GuardGate::Entry& entry, const HttpRequest& request) {
  return entry.without_rules == GuardGate::WithoutRules::kThisMachine &&
         entry.guard->book()->size() == 0 && IsLocalPeerText(request.peer);
}

Status Check(const GuardGate::Entry& entry, const HttpRequest& request) {
  access::Guard* const guard = entry.guard;
  if (guard == nullptr || !guard->is_obeyed() || IsLetInWithoutRules(entry, request)) return {};
  const Result<PermitPtr> permit = Prove(*guard, request);
  const Status allowed =
      permit.ok() ? guard->Check(*permit, access::Right::kManage, "") : permit.status();
  if (!allowed.ok()) {
    guard->NoteRefusal(allowed, permit.ok() ? *permit : nullptr, request.peer,
                       ToString(NewTrackingId()), request.authorization);
  }
  return allowed;
}

HttpResponse Refusal(const Status& status) {
  return TextResponse(status.code() == ErrorCode::kForbidden ? 403 : 401, status.message());
}

}  // namespace

HttpHandler ForOperators(const GuardGate& guard, HttpHandler handler) {
  return [&guard, handler = std::move(handler)](const HttpRequest& request) {
    if (request.is_of_known_client) return handler(request);
    const std::optional<Status> allowed =
        guard.Ask([&request](const GuardGate::Entry& entry) { return Check(entry, request); });
    if (!allowed) return TextResponse(503, "the broker is not there yet, or not any more");
    return allowed->ok() ? handler(request) : Refusal(*allowed);
  };
}

}  // namespace wharf
