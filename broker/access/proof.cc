#include "broker/access/proof.h"

#include <optional>

#include <fmt/core.h>

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

Status NotAnyMore() {
  return {
      ErrorCode::kUnauthorized,
      "the token is not valid any more: its rule is gone, or the key that made it was replaced"};
}

std::optional<KeyPrint> KeyBehind(const Token& token, const AccessRule& rule) {
  for (const KeySlot slot : {KeySlot::kPrimary, KeySlot::kSecondary}) {
    if (IsSignedWith(token, rule.key(slot))) return rule.print(slot);
  }
  return std::nullopt;
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
  return book.RuleBehind(permit) != nullptr ? Status() : NotAnyMore();
}

// Each call comes through here: the rule is looked up once.
Status CheckRight(const Permit& permit, const Book& book, Timestamp wall_now, Right right,
                  std::string_view path) {
  if (permit.until <= wall_now) return Lapsed(permit.until);
  const AccessRule* rule = book.RuleBehind(permit);
  if (rule == nullptr) return NotAnyMore();
  if (rule->rights().Has(right) && Covers(permit.resource, path)) return {};
  const std::string where =
      path.empty() ? "the namespace" : fmt::format("'{}'", path.substr(0, kPathBytesMax));
  return {ErrorCode::kForbidden,
          fmt::format("the token gives no right to {} on {}", NameOf(right), where)};
}

}  // namespace wharf::access
