// Topics: all topics of the broker, with their subscriptions and rules.
//
// Stands beside the Catalog, which knows them as queues. Owned by the Shard, used on its thread.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "broker/core/entities/catalog.h"
#include "broker/topics/topic.h"

namespace wharf {

class Topics {
 public:
  Topics(Catalog& catalog, const RuleLimits& limits, Random& random)
      : catalog_(catalog), limits_(limits), random_(random) {}

  // At start, when the catalog is there. Fails if a rule is damaged.
  Status Load(const std::vector<RuleAdded>& rules);

  // Null if there is none of that id.
  Topic* Find(EntityId topic) const;
  // What a message that is sent to the queue makes at most: the message, or with it as many copies
  // as a topic makes of one.
  std::size_t CopiesOf(const Queue& queue) const;
  // How many SQL filters it is asked of, and how many steps all its rules take (rule_work.h).
  std::size_t FiltersOf(const Queue& queue) const;
  std::size_t StepsOf(const Queue& queue) const;
  const RuleWork& work() const { return work_; }
  // Of a subscription; null if it was deleted.
  Topic* TopicOf(const Queue& subscription) const;

  void AddTopic(Queue& queue);
  // The rule that a subscription of the topic at `path` begins with: one with a true filter if none
  // is given (RUL-1). Fails if it cannot be had.
  Result<Rule> CheckFirstRule(std::string_view path, std::optional<RuleDescription> rule,
                              Timestamp now) const;
  // `first_rule` was checked.
  void AddSubscription(Queue& queue, Rule first_rule, Changes& changes);
  // They were deleted together; a topic is named after its subscriptions. Its rules go with it at
  // one go, and are not taken out one by one.
  void Forget(const std::vector<EntityId>& entities);

  // Both fail if `queue` is no subscription. Messages that are sent from now on are measured by the
  // new rules (RUL-13).
  Result<RuleDescription> AddRule(Queue& queue, RuleDescription rule, Timestamp now,
                                  Changes& changes);
  Status RemoveRule(Queue& queue, std::string_view name, Timestamp now, Changes& changes);
  // Its rule `name` becomes `rule`, which has that name, too; it stays when it cannot.
  Result<RuleDescription> ReplaceRule(Queue& queue, std::string_view name, RuleDescription rule,
                                      Timestamp now, Changes& changes);

 private:
  Catalog& catalog_;
  const RuleLimits limits_;
  Random& random_;
  RuleWork work_;
  absl::flat_hash_map<EntityId, std::unique_ptr<Topic>> topics_;
  // Of each subscription.
  absl::flat_hash_map<EntityId, EntityId> topic_of_;
};

}  // namespace wharf
