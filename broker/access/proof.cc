#include "broker/access/proof.h"

#include <optional>

#include <fmt/core.h>
#include <openssl/crypto.h>

#include "broker/access/resource.h"

namespace wharf::access {
namespace {

constexpr std::size_t kPathBytesMax = 360;

// No rule belongs to anything that is called by more.
constexpr std::size_t kRulePathBytesMax = 260;
// What nobody has signed with.
constexpr std::string_view kNoKey = "////////////////////////////////////////////";

Status Lapsed(Timestamp until) {
  return {ErrorCode::kUnauthorized,
          fmt::format("the token lapsed at {}: make a new one", wharf::ToString(until))};
}

Status NotAnyMore(const Permit& permit) {
  return {ErrorCode::kUnauthorized,
          permit.key
              ? "the token is not valid any more: its rule is gone, or the key that made it was "
                "replaced"
              : "the client has no rule any more: it is gone, client-rules gives it another one, "
                "or the "
                "key of its token is not believed"};
}

std::optional<KeyPrint> KeyBehind(const Token& token, const AccessRule& rule) {
  for (const KeySlot slot : {KeySlot::kPrimary, KeySlot::kSecondary}) {
    if (IsSignedWith(token, rule.key(slot))) return rule.print(slot);
  }
  return std::nullopt;
}

// Keys are compared by their prints, which are of one length. Null takes as long, and has none.
bool IsKeyOf(const AccessRule* rule, const KeyPrint& print) {
  const KeyPrint nobodys{};
  bool is_known = false;
  for (const KeySlot slot : {KeySlot::kPrimary, KeySlot::kSecondary}) {
    const KeyPrint& known = rule == nullptr ? nobodys : rule->print(slot);
    is_known |= CRYPTO_memcmp(print.data(), known.data(), print.size()) == 0;
  }
  return rule != nullptr && is_known;
}

}  // namespace

// That there is no such rule takes as long to find out as that the signature is wrong.
Result<Permit> Prove(const Token& token, const Book& book, Timestamp wall_now) {
  if (token.expires_at <= wall_now) return Lapsed(token.expires_at);
  bool was_compared = false;
  for (const std::string_view path : WithAncestors(token.resource)) {
    const bool may_have_rules = path.size() <= kRulePathBytesMax;
    const AccessRule* rule = may_have_rules ? book.Find(path, token.rule) : nullptr;
    if (rule == nullptr) continue;
    was_compared = true;
    const std::optional<KeyPrint> key = KeyBehind(token, *rule);
    if (!key) continue;
    return Permit{.path = std::string(path),
                  .rule = token.rule,
                  .rule_name = rule->name(),
                  .key = *key,
                  .resource = token.resource,
                  .until = token.expires_at};
  }
  if (!was_compared) {
    static_cast<void>(IsSignedWith(token, kNoKey));
    static_cast<void>(IsSignedWith(token, kNoKey));
  }
  return Status(ErrorCode::kUnauthorized,
                "the token is not valid: there is no such rule for its resource, or no key of the "
                "rule made its signature");
}

Status CheckPermit(const Permit& permit, const Book& book, Timestamp wall_now) {
  if (permit.until <= wall_now) return Lapsed(permit.until);
  return book.RuleBehind(permit) != nullptr ? Status() : NotAnyMore(permit);
}

// Each call comes through here: the rule is looked up once.
Status CheckRight(const Permit& permit, const Book& book, Timestamp wall_now, Right right,
                  std::string_view path) {
  if (permit.until <= wall_now) return Lapsed(permit.until);
  const AccessRule* rule = book.RuleBehind(permit);
  if (rule == nullptr) return NotAnyMore(permit);
  if (rule->rights().Has(right) && Covers(permit.resource, path)) return {};
  const std::string where =
      path.empty() ? "the namespace" : fmt::format("'{}'", path.substr(0, kPathBytesMax));
  return {ErrorCode::kForbidden,
          fmt::format("the {} gives no right to {} on {}",
                      permit.key ? "token" : "rule of the client", NameOf(right), where)};
}

Result<Permit> ProveKey(std::string_view name, std::string_view key, const Book& book) {
  const KeyPrint print = PrintOf(key);
  const AccessRule* const rule = book.Find("", name);
  if (!IsKeyOf(rule, print)) {
    return Status(ErrorCode::kUnauthorized,
                  "the namespace has no rule of that name, or this is no key of it");
  }
  return Permit{.rule = FoldRuleName(rule->name()), .rule_name = rule->name(), .key = print};
}

Result<Permit> ProveKeyFor(std::string_view resource, std::string_view name, std::string_view key,
                           const Book& book) {
  const KeyPrint print = PrintOf(key);
  std::optional<Permit> permit;
  for (const std::string_view path : WithAncestors(resource)) {
    if (path.size() > kRulePathBytesMax) continue;
    const AccessRule* const rule = book.Find(path, name);
    if (!IsKeyOf(rule, print) || permit.has_value()) continue;
    permit = Permit{.path = std::string(path),
                    .rule = FoldRuleName(rule->name()),
                    .rule_name = rule->name(),
                    .key = print,
                    .resource = std::string(path)};
  }
  if (permit.has_value()) return *std::move(permit);
  return Status(ErrorCode::kUnauthorized,
                "there is no rule of that name for this, or this is no key of it");
}

Result<Permit> ProveClient(const std::string& client, const ClientRules& clients,
                           const Book& book) {
  const ClientRules::Target* const target = clients.Find(client);
  if (target == nullptr) {
    return Status(ErrorCode::kUnauthorized, "no client-rules gives the client a rule");
  }
  const AccessRule* const rule = book.Find(target->path, target->rule);
  if (rule == nullptr) {
    return Status(ErrorCode::kUnauthorized,
                  "the rule that client-rules gives the client is not there");
  }
  return Permit{.path = target->path,
                .rule = target->rule,
                .rule_name = rule->name(),
                .client = client,
                .resource = target->path};
}

Result<Permit> ProveWebToken(std::string_view token, const ClientRules& clients, const Book& book,
                             Timestamp wall_now) {
  if (clients.issuer() == nullptr) {
    return Status(ErrorCode::kUnauthorized,
                  "JSON web tokens are not taken here: jwt-keys is empty");
  }
  const Result<TokenIssuer::Statement> said = clients.issuer()->Read(token, wall_now);
  if (!said.ok()) return said.status();
  Result<Permit> permit = ProveClient(said->client, clients, book);
  if (!permit.ok()) return permit;
  permit->voucher = said->voucher;
  permit->until = said->until;
  return permit;
}

Status CheckClient(const Permit& permit, const ClientRules& clients) {
  if (permit.client.empty()) return {};
  const ClientRules::Target* const target = clients.Find(permit.client);
  const bool has_rule =
      target != nullptr && *target == ClientRules::Target{permit.path, permit.rule};
  const bool is_believed = !permit.voucher || (clients.issuer() != nullptr &&
                                               clients.issuer()->Believes(*permit.voucher));
  return has_rule && is_believed ? Status() : NotAnyMore(permit);
}

}  // namespace wharf::access
