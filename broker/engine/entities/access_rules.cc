#include "broker/engine/entities/access_rules.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include <fmt/core.h>

#include "absl/container/flat_hash_set.h"
#include "broker/access/given_keys.h"
#include "broker/core/entities/names.h"

namespace wharf {
namespace {

using access::AccessRule;
using access::KeySlot;

constexpr EntityId kNamespace{};

AccessRuleInfo InfoOf(const std::string& path, const AccessRule& rule, bool shows_keys) {
  AccessRuleInfo info{
      .path = path, .name = rule.name(), .rights = rule.rights(), .created_at = rule.created_at()};
  if (shows_keys) info.keys = {rule.key(KeySlot::kPrimary), rule.key(KeySlot::kSecondary)};
  return info;
}

std::string PlaceName(const std::string& path) {
  return path.empty() ? "the namespace" : Quoted(path);
}

}  // namespace

// Rules go in the commit that deletes their entity, so that none is left without one.
AccessRules::AccessRules(const WorkerContext& context, const EntityFinder& finder,
                         access::KeySource keys, const std::vector<AccessRuleSet>& stored,
                         AuditLog& audit, std::function<bool()> keeps_replaced_keys)
    : context_(context),
      finder_(finder),
      keys_(std::move(keys)),
      audit_(audit),
      keeps_replaced_keys_(std::move(keeps_replaced_keys)) {
  for (const AccessRuleSet& each : stored) {
    std::string resource;
    if (each.entity != kNamespace) {
      const Queue* queue = context_.catalog.FindKnown(each.entity);
      if (queue == nullptr) continue;
      resource = FoldPath(queue->description().name);
      resources_[each.entity] = resource;
    }
    book_ = book_.With(resource, *each.rule);
  }
}

Result<AccessRules::Place> AccessRules::Find(const std::string& path) const {
  WHARF_RETURN_IF_ERROR(context_.open.Check());
  if (path.empty()) return Place{};
  const Result<EntityFinder::Target> target = finder_.ResolveEntity(path);
  if (!target.ok()) return target.status();
  const Queue& queue = *target->queue;
  if (queue.kind() == EntityKind::kSubscription) {
    return Status(ErrorCode::kInvalidOperation,
                  "access rules belong to the namespace, to queues and to topics; those of its "
                  "topic hold for a subscription");
  }
  const std::string& name = queue.description().name;
  return Place{queue.id(), name, FoldPath(name)};
}

Result<const AccessRule*> AccessRules::FindRule(const Place& place, std::string_view name) const {
  const AccessRule* rule = book_.Find(place.resource, name);
  if (rule != nullptr) return rule;
  return Status(ErrorCode::kMessagingEntityNotFound,
                fmt::format("{} has no access rule '{:.64}'", PlaceName(place.path), name));
}

Result<std::string> AccessRules::KeyOf(std::string given) const {
  if (given.empty()) return access::DrawKey(keys_);
  if (Status bad = access::CheckKey(given); !bad.ok()) return bad;
  return given;
}

Result<AccessRuleInfo> AccessRules::Create(CreateAccessRuleRequest request, const Author& author,
                                           Turn& turn) {
  WHARF_RETURN_IF_ERROR(access::CheckAccessRuleName(request.name));
  if (request.rights.empty()) {
    return Status(ErrorCode::kArgumentError, "an access rule has one right at least");
  }
  const Result<Place> place = Find(request.path);
  if (!place.ok()) return place.status();
  if (book_.Find(place->resource, request.name) != nullptr) {
    return Status(
        ErrorCode::kMessagingEntityAlreadyExists,
        fmt::format("{} has an access rule '{}' already", PlaceName(place->path), request.name));
  }
  if (book_.RulesOf(place->resource).size() >= access::kRulesMax) {
    return Status(ErrorCode::kQuotaExceeded,
                  fmt::format("{} has {} access rules, as many as may be", PlaceName(place->path),
                              access::kRulesMax));
  }
  Result<std::string> primary = KeyOf(std::move(request.primary_key));
  if (!primary.ok()) return primary.status();
  Result<std::string> secondary = KeyOf(std::move(request.secondary_key));
  if (!secondary.ok()) return secondary.status();
  if (*primary == *secondary) {
    return Status(ErrorCode::kArgumentError, "the two keys of an access rule must differ");
  }
  AccessRule rule(std::move(request.name), request.rights, *std::move(primary),
                  *std::move(secondary), turn.now);
  AccessRuleInfo info = InfoOf(place->path, rule, request.shows_keys);
  Tell(author, *place, info.name, "is made, with " + access::ToString(info.rights), turn);
  Set(*place, std::move(rule), turn);
  return info;
}

Result<AccessRuleInfo> AccessRules::Get(const GetAccessRuleRequest& request) const {
  const Result<Place> place = Find(request.path);
  if (!place.ok()) return place.status();
  const Result<const AccessRule*> rule = FindRule(*place, request.name);
  if (!rule.ok()) return rule.status();
  return InfoOf(place->path, **rule, request.shows_keys);
}

Result<std::vector<AccessRuleInfo>> AccessRules::List(const ListAccessRulesRequest& request) const {
  const Result<Place> place = Find(request.path);
  if (!place.ok()) return place.status();
  std::vector<AccessRuleInfo> rules;
  for (const AccessRule& rule : book_.RulesOf(place->resource)) {
    rules.push_back(InfoOf(place->path, rule, /*shows_keys=*/false));
  }
  return rules;
}

Result<AccessRuleInfo> AccessRules::Rotate(RotateAccessKeyRequest request, const Author& author,
                                           Turn& turn) {
  const Result<Place> place = Find(request.path);
  if (!place.ok()) return place.status();
  const Result<const AccessRule*> rule = FindRule(*place, request.name);
  if (!rule.ok()) return rule.status();
  const bool is_given = !request.key.empty();
  Result<std::string> key = KeyOf(std::move(request.key));
  if (!key.ok()) return key.status();
  if (is_given) WHARF_RETURN_IF_ERROR(access::CheckTakes(**rule, *key));
  AccessRule changed = (*rule)->WithKey(request.slot, *std::move(key));
  AccessRuleInfo info = InfoOf(place->path, changed, request.shows_keys);
  TellKeys(*place, **rule, changed, author, turn);
  Set(*place, std::move(changed), turn);
  return info;
}

Status AccessRules::Remove(RemoveAccessRuleRequest request, const Author& author, Turn& turn) {
  const Result<Place> place = Find(request.path);
  if (!place.ok()) return place.status();
  const Result<const AccessRule*> rule = FindRule(*place, request.name);
  if (!rule.ok()) return rule.status();
  if (request.check) {
    WHARF_RETURN_IF_ERROR(
        std::move(request.check)(InfoOf(place->path, **rule, /*shows_keys=*/false)));
  }
  WHARF_RETURN_IF_ERROR(CheckNotLastManager(*place, **rule, author));
  Drop(*place, (*rule)->name(), author, turn);
  return {};
}

// Nobody could make a rule again, and a folder without rules opens to everybody. Where nobody has
// to prove anything they may all go: so what was made by mistake is undone.
Status AccessRules::CheckNotLastManager(const Place& place, const AccessRule& rule,
                                        const Author& author) const {
  const auto manages = [](const AccessRule& each) {
    return each.rights().Has(access::Right::kManage);
  };
  if (place.entity != kNamespace || !manages(rule) || author.rule.empty()) return {};
  const access::Book::RuleList& rules = book_.RulesOf(place.resource);
  if (std::count_if(rules.begin(), rules.end(), manages) > 1) return {};
  return {ErrorCode::kInvalidOperation,
          fmt::format("'{}' is the last access rule of the namespace with Manage, and nobody could "
                      "make another one without it: make that first",
                      rule.name())};
}

Status AccessRules::CheckGiven(EntityKind kind, const std::vector<GivenAccessRule>& given) {
  if (given.size() > access::kRulesMax) {
    return {ErrorCode::kQuotaExceeded,
            fmt::format("these are {} access rules; an entity has {} at most", given.size(),
                        access::kRulesMax)};
  }
  if (kind == EntityKind::kSubscription && !given.empty()) {
    return {ErrorCode::kInvalidOperation,
            "a subscription has no access rules; those of its topic hold for it"};
  }
  absl::flat_hash_set<std::string> names;
  for (const GivenAccessRule& rule : given) {
    WHARF_RETURN_IF_ERROR(access::CheckAccessRuleName(rule.name));
    if (!names.insert(access::FoldRuleName(rule.name)).second) {
      return {ErrorCode::kArgumentError,
              fmt::format("two of the access rules are called '{}'", rule.name)};
    }
    if (rule.rights.empty()) {
      return {ErrorCode::kArgumentError, "an access rule has one right at least"};
    }
    for (const std::string* key : {&rule.primary_key, &rule.secondary_key}) {
      if (!key->empty()) WHARF_RETURN_IF_ERROR(access::CheckKey(*key));
    }
    if (!rule.primary_key.empty() && rule.primary_key == rule.secondary_key) {
      return {ErrorCode::kArgumentError, "the two keys of an access rule must differ"};
    }
  }
  return {};
}

Status AccessRules::CheckGiven(const std::string& path,
                               const std::vector<GivenAccessRule>& given) const {
  const Result<Place> place = Find(path);
  if (!place.ok()) return place.status();
  WHARF_RETURN_IF_ERROR(CheckGiven(EntityKind::kQueue, given));
  if (!KeepsReplacedKeys()) return {};
  for (const GivenAccessRule& each : given) {
    const AccessRule* rule = book_.Find(place->resource, each.name);
    if (rule == nullptr) continue;
    const auto taken = access::TakeDescribed(*rule, each.primary_key, each.secondary_key);
    if (!taken.ok()) return taken.status();
  }
  return {};
}

void AccessRules::SetAll(const std::string& path, std::vector<GivenAccessRule> given,
                         const Author& author, Turn& turn) {
  const Result<Place> place = Find(path);
  assert(place.ok());
  absl::flat_hash_set<std::string> stay;
  for (const GivenAccessRule& rule : given) stay.insert(access::FoldRuleName(rule.name));
  for (const AccessRule& rule : access::Book::RuleList(book_.RulesOf(place->resource))) {
    if (!stay.contains(access::FoldRuleName(rule.name()))) Drop(*place, rule.name(), author, turn);
  }
  for (GivenAccessRule& rule : given) SetOne(*place, std::move(rule), author, turn);
}

void AccessRules::SetOne(const Place& place, GivenAccessRule given, const Author& author,
                         Turn& turn) {
  const auto key_of = [this](std::string& key) {
    return key.empty() ? access::DrawKey(keys_) : std::move(key);
  };
  const AccessRule* found = book_.Find(place.resource, given.name);
  if (found == nullptr) {
    Tell(author, place, given.name, "is made, with " + access::ToString(given.rights), turn);
    return Set(place,
               AccessRule(given.name, given.rights, key_of(given.primary_key),
                          key_of(given.secondary_key), turn.now),
               turn);
  }
  ChangeOne(place, AccessRule(*found), std::move(given), author, turn);
}

void AccessRules::ChangeOne(const Place& place, const AccessRule& rule, GivenAccessRule given,
                            const Author& author, Turn& turn) {
  const access::Rights rights = given.rights;
  AccessRule changed = TakeKeys(place, rule, std::move(given), author, turn);
  if (rights != rule.rights()) {
    Tell(author, place, rule.name(), "has now " + access::ToString(rights), turn);
    changed = changed.WithRights(rights);
  }
  TellKeys(place, rule, changed, author, turn);
  if (changed != rule) Set(place, std::move(changed), turn);
}

AccessRule AccessRules::TakeKeys(const Place& place, const AccessRule& rule, GivenAccessRule given,
                                 const Author& author, Turn& turn) {
  if (!KeepsReplacedKeys()) {
    const auto differs = [&rule](const std::string& key, KeySlot slot) {
      return !key.empty() && key != rule.key(slot);
    };
    if (differs(given.primary_key, KeySlot::kPrimary) ||
        differs(given.secondary_key, KeySlot::kSecondary)) {
      Tell(author, place, rule.name(),
           "keeps its keys: a description replaces none before all members of the cluster can read "
           "which ones were, a rotation does",
           turn);
    }
    return rule;
  }
  Result<access::DescribedKeys> taken =
      access::TakeDescribed(rule, std::move(given.primary_key), std::move(given.secondary_key));
  // All members can read more since it was checked.
  if (!taken.ok()) return rule;
  if (taken->keeps_primary || taken->keeps_secondary) {
    const std::string_view kept = taken->keeps_primary && taken->keeps_secondary ? "keys"
                                  : taken->keeps_primary                         ? "primary key"
                                                                                 : "secondary key";
    Tell(author, place, rule.name(),
         fmt::format("keeps its {}: the description brings one that was replaced before", kept),
         turn);
  }
  return std::move(taken->rule);
}

void AccessRules::TellKeys(const Place& place, const AccessRule& before, const AccessRule& after,
                           const Author& author, Turn& turn) {
  for (const auto& [slot, name] :
       {std::pair(KeySlot::kPrimary, "primary"), std::pair(KeySlot::kSecondary, "secondary")}) {
    if (before.print(slot) == after.print(slot)) continue;
    Tell(author, place, before.name(), fmt::format("has another {} key", name), turn);
  }
}

void AccessRules::Drop(const Place& place, const std::string& rule, const Author& author,
                       Turn& turn) {
  Tell(author, place, rule, "is removed", turn);
  turn.changes.push_back(AccessRuleRemoved{place.entity, rule});
  book_ = book_.Without(place.resource, rule);
  if (book_.RulesOf(place.resource).empty()) resources_.erase(place.entity);
  Publish(turn);
}

std::vector<AccessRuleInfo> AccessRules::Of(const Queue& entity) const {
  std::vector<AccessRuleInfo> rules;
  const std::string& name = entity.description().name;
  for (const AccessRule& rule : book_.RulesOf(FoldPath(name))) {
    rules.push_back(InfoOf(name, rule, /*shows_keys=*/true));
  }
  return rules;
}

void AccessRules::OnEntityDeleted(EntityId entity, const Status& /*reason*/, Turn& turn) {
  const auto found = resources_.find(entity);
  if (found == resources_.end() || context_.catalog.FindKnown(entity) != nullptr) return;
  for (const AccessRule& rule : book_.RulesOf(found->second)) {
    turn.changes.push_back(AccessRuleRemoved{entity, rule.name()});
  }
  book_ = book_.WithoutAll(found->second);
  resources_.erase(found);
  Publish(turn);
}

void AccessRules::Tell(const Author& author, const Place& place, std::string_view rule,
                       std::string_view done, Turn& turn) {
  audit_.Note(author, place.path,
              fmt::format("the access rule '{}' of {} {}", rule, PlaceName(place.path), done),
              turn);
}

void AccessRules::Set(const Place& place, AccessRule rule, Turn& turn) {
  if (!KeepsReplacedKeys()) rule = rule.Remembering({});
  turn.changes.push_back(AccessRuleSet{place.entity, rule});
  book_ = book_.With(place.resource, std::move(rule));
  if (place.entity != kNamespace) resources_[place.entity] = place.resource;
  Publish(turn);
}

void AccessRules::Publish(Turn& turn) const {
  turn.access_book = std::make_shared<const access::Book>(book_);
}

}  // namespace wharf
