#include "broker/access/guard.h"

#include <utility>

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "absl/strings/ascii.h"
#include "broker/access/ascii_text.h"
#include "broker/access/client_rules.h"
#include "broker/access/proof.h"
#include "broker/access/token.h"
#include "storage/base/log_fields.h"

namespace wharf::access {
namespace {

// What cannot be printed as \x1b.
std::string Printable(std::string_view text) {
  std::string printable;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    printable += absl::ascii_isprint(byte) ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return printable;
}

// Whoever refuses it does not know whether it is true.
std::string Claim(std::string_view rule) {
  return rule.empty() ? "" : fmt::format(" that claims the rule '{}'", rule);
}

// As tools send it that know of one scheme.
std::string_view WithoutBearer(std::string_view token) {
  constexpr std::string_view kBearer = "Bearer ";
  return EqualsInAnyCase(token.substr(0, kBearer.size()), kBearer) ? token.substr(kBearer.size())
                                                                   : token;
}

Status Missing() {
  return {ErrorCode::kUnauthorized,
          "there is no token: send a shared access signature as `authorization`"};
}

}  // namespace

Guard::Guard(BookPtr book, WallClock wall, Obeyed obeyed)
    : wall_(std::move(wall)),
      is_obeyed_(obeyed == Obeyed::kAlways || book->size() > 0),
      book_(std::move(book)),
      clients_(std::make_shared<const ClientRules>()) {}

void Guard::Publish(BookPtr book) {
  const bool has_rules = book->size() > 0;
  MutexLock lock(mutex_);
  std::swap(book_, book);
  if (has_rules) is_obeyed_ = true;
}

Guard::BookPtr Guard::book() const {
  MutexLock lock(mutex_);
  return book_;
}

void Guard::SetClients(ClientRulesPtr clients) {
  MutexLock lock(mutex_);
  std::swap(clients_, clients);
}

Guard::ClientRulesPtr Guard::clients() const {
  MutexLock lock(mutex_);
  return clients_;
}

Result<PermitPtr> Guard::Prove(std::string_view token) {
  if (token.empty()) return Missing();
  // One that holds no more may be proven by another rule, above, which has the same name.
  if (PermitPtr known = cache_.Find(token); known != nullptr && Check(known).ok()) return known;
  Result<Permit> permit = ProveAnew(token);
  if (!permit.ok()) return permit.status();
  auto proven = std::make_shared<const Permit>(*std::move(permit));
  cache_.Add(token, proven);
  return PermitPtr(std::move(proven));
}

Result<Permit> Guard::ProveAnew(std::string_view token) const {
  const std::string_view bare = WithoutBearer(token);
  if (bare.size() != token.size() && TokenIssuer::IsWebToken(bare)) {
    return ProveWebToken(bare, *clients(), *book(), wall_());
  }
  const Result<Token> parsed = ParseToken(bare);
  if (!parsed.ok()) return parsed.status();
  return access::Prove(*parsed, *book(), wall_());
}

Result<PermitPtr> Guard::ProveCertificate(std::string_view subject) const {
  Result<Permit> permit = ProveClient(NameOfCertificate(subject), *clients(), *book());
  if (!permit.ok()) return permit.status();
  return PermitPtr(std::make_shared<const Permit>(*std::move(permit)));
}

Result<PermitPtr> Guard::ProveKey(std::string_view rule, std::string_view key) const {
  Result<Permit> permit = access::ProveKey(rule, key, *book());
  if (!permit.ok()) return permit.status();
  return PermitPtr(std::make_shared<const Permit>(*std::move(permit)));
}

Result<PermitPtr> Guard::ProveKeyFor(std::string_view resource, std::string_view rule,
                                     std::string_view key) const {
  Result<Permit> permit = access::ProveKeyFor(resource, rule, key, *book());
  if (!permit.ok()) return permit.status();
  return PermitPtr(std::make_shared<const Permit>(*std::move(permit)));
}

// Most permits are those of tokens, for which the clients are not looked at.
Status Guard::CheckClient(const Permit& permit) const {
  return permit.client.empty() ? Status() : access::CheckClient(permit, *clients());
}

Status Guard::Check(const PermitPtr& permit) const {
  if (permit == nullptr) return Missing();
  WHARF_RETURN_IF_ERROR(CheckClient(*permit));
  return CheckPermit(*permit, *book(), wall_());
}

Status Guard::Check(const PermitPtr& permit, Right right, std::string_view path) const {
  if (permit == nullptr) return Missing();
  WHARF_RETURN_IF_ERROR(CheckClient(*permit));
  return CheckRight(*permit, *book(), wall_(), right, path);
}

void Guard::NoteRefusal(const Status& refusal, const PermitPtr& permit, std::string_view peer,
                        std::string_view tracking_id, std::string_view token) {
  // What was proven is not read again.
  NoteRefusalOfKey(refusal, permit, peer, tracking_id,
                   permit == nullptr ? ClaimedRule(token) : std::string());
}

// What a client wrote stands in the sentence.
void Guard::NoteRefusalOfKey(const Status& refusal, const PermitPtr& permit, std::string_view peer,
                             std::string_view tracking_id, std::string_view claimed) {
  if (refusal.code() == ErrorCode::kUnauthorized) ++unauthorized_;
  if (refusal.code() == ErrorCode::kForbidden) ++forbidden_;
  const auto unsaid = log_limit_.Admit();
  if (!unsaid) return;
  const std::string rule =
      permit != nullptr ? permit->Owner() : std::string(claimed.substr(0, kAccessRuleNameMax));
  const LogFields about(
      {{"client", peer}, {"rule", Printable(rule)}, {"tracking_id", tracking_id}});
  spdlog::warn("refused a call from {}{}: {} (tracking id {}){}", peer,
               Printable(permit != nullptr ? " with rule " + rule : Claim(rule)),
               Printable(refusal.message()), tracking_id, Unsaid(*unsaid));
}

}  // namespace wharf::access
