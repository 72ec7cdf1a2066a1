// AccessRules: who may do what, as it is planned: what making, changing and removing a rule takes.
//
// Rules stand beside the description of an entity, so that no update of it touches them, and go
// with it. Each change makes a new book (access/book.h), which the turn carries and the shard
// publishes when it is committed. Owned by the Shard, used on its thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "broker/access/access_key.h"
#include "broker/access/book.h"
#include "broker/core/changes/change.h"
#include "broker/engine/entities/audit_log.h"
#include "broker/engine/entities/entity_finder.h"
#include "broker/engine/turn/registrations.h"
#include "broker/engine/turn/turn.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/requests/access_requests.h"

namespace wharf {

class AccessRules final : public EntityEndListener {
 public:
  AccessRules(const WorkerContext& context, const EntityFinder& finder, access::KeySource keys,
              const std::vector<AccessRuleSet>& stored, AuditLog& audit,
              std::function<bool()> keeps_replaced_keys);

  // As it is planned so far; at the start as it is committed.
  const access::Book& book() const { return book_; }

  // Who changes something is told the log.
  using Author = AuditLog::Author;
  Result<AccessRuleInfo> Create(CreateAccessRuleRequest request, const Author& author, Turn& turn);
  Result<AccessRuleInfo> Get(const GetAccessRuleRequest& request) const;
  Result<std::vector<AccessRuleInfo>> List(const ListAccessRulesRequest& request) const;
  Result<AccessRuleInfo> Rotate(RotateAccessKeyRequest request, const Author& author, Turn& turn);
  Status Remove(RemoveAccessRuleRequest request, const Author& author, Turn& turn);

  // Whether these may be all the rules of a new entity, or of the one at `path`.
  static Status CheckGiven(EntityKind kind, const std::vector<GivenAccessRule>& given);
  Status CheckGiven(const std::string& path, const std::vector<GivenAccessRule>& given) const;
  // They are all the rules of the entity at `path` from now on. One that it has already takes the
  // keys that are named, and none that it had before (access/given_keys.h). They were checked.
  void SetAll(const std::string& path, std::vector<GivenAccessRule> given, const Author& author,
              Turn& turn);
  // All of an entity, with their keys.
  std::vector<AccessRuleInfo> Of(const Queue& entity) const;

  // Its rules go with it. A fenced one keeps them.
  void OnEntityDeleted(EntityId entity, const Status& reason, Turn& turn) override;

 private:
  // What has rules: an entity, or the namespace.
  struct Place {
    EntityId entity{};
    // As it is written there, and folded.
    std::string path{};
    std::string resource{};
  };

  Result<Place> Find(const std::string& path) const;
  Result<const access::AccessRule*> FindRule(const Place& place, std::string_view name) const;
  // Whether it may be removed by who asks.
  Status CheckNotLastManager(const Place& place, const access::AccessRule& rule,
                             const Author& author) const;
  // One that was given, or a new one.
  Result<std::string> KeyOf(std::string given) const;
  // `done`: "is made, with Send".
  void Tell(const Author& author, const Place& place, std::string_view rule, std::string_view done,
            Turn& turn);
  void Set(const Place& place, access::AccessRule rule, Turn& turn);
  void SetOne(const Place& place, GivenAccessRule given, const Author& author, Turn& turn);
  void ChangeOne(const Place& place, const access::AccessRule& rule, GivenAccessRule given,
                 const Author& author, Turn& turn);
  // Of a rule that there is: what the keys that were given make of it.
  access::AccessRule TakeKeys(const Place& place, const access::AccessRule& rule,
                              GivenAccessRule given, const Author& author, Turn& turn);
  void TellKeys(const Place& place, const access::AccessRule& before,
                const access::AccessRule& after, const Author& author, Turn& turn);
  // Whether all that may have to read it can read which keys were replaced.
  bool KeepsReplacedKeys() const { return !keeps_replaced_keys_ || keeps_replaced_keys_(); }
  void Drop(const Place& place, const std::string& rule, const Author& author, Turn& turn);
  void Publish(Turn& turn) const;

  const WorkerContext context_;
  const EntityFinder& finder_;
  const access::KeySource keys_;
  AuditLog& audit_;
  const std::function<bool()> keeps_replaced_keys_;
  access::Book book_;
  // Of entities with rules: what their rules stand under in the book.
  absl::flat_hash_map<EntityId, std::string> resources_;
};

}  // namespace wharf
