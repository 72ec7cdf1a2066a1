// Topic: which subscriptions get a copy of a message, and what the copy looks like.
//
// The outlet of a topic's Queue. All copies of one message are made in one list of changes, by one
// whole rule set (TOP-6). Owned by Topics, used on the shard's thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "broker/core/queue/outlet.h"
#include "broker/core/queue/queue.h"
#include "broker/topics/rule_set.h"
#include "broker/topics/rule_work.h"

namespace wharf {

class Topic final : public Outlet {
 public:
  // What its rules cost is added to `work`, which outlives it.
  Topic(const RuleLimits& limits, Random& random, RuleWork& work)
      : random_(random), work_(work), rules_(limits) {}

  // `queue` outlives its subscription.
  void Subscribe(Queue& queue);
  void Unsubscribe(EntityId subscription);
  const std::map<EntityId, Queue*>& subscriptions() const { return subscriptions_; }

  RuleSet& rules() { return rules_; }
  const RuleSet& rules() const { return rules_; }

  // One that is fenced cannot get its copy, and no subscription shall miss a message (TOP-6).
  Status Check() const override {
    return fenced_.empty() ? Status::Ok() : fenced_.begin()->second->CheckFence();
  }
  // A subscription is fenced, or is not any more.
  void NoteFence(Queue& subscription);

  bool HasTaker(const Message& message, Timestamp now) override;
  void Publish(MessagePublished published, Timestamp now, Changes& changes) override;
  std::int64_t bytes() const override { return *bytes_; }

  // Of one message: for each subscription, and for each rule that changes what it copies.
  std::size_t copies_max() const { return subscriptions_.size() + rules_.actions(); }
  // What the copies of a message hold in memory at most, if there are as many as there may be:
  // properties, and as much of the body as they are given.
  std::size_t CopiedBytes(const Message& message) const;

  // What a message costs: at least what its filters do, and as much as the last one did.
  std::size_t steps_per_message() const { return std::max(rules_.steps(), last_steps_); }

  // Lanes of subscriptions where copies arrived since the last call.
  std::vector<LaneId> TakeArrived() { return std::exchange(arrived_, {}); }

 private:
  // A copy that is to be made.
  struct Copy {
    Queue* subscription;
    std::shared_ptr<StoredMessage> message;
    // It goes to the dead-letter queue: why.
    struct Refusal {
      std::string reason;
      std::string description;
    };
    std::optional<Refusal> refusal{};
  };
  using Matches = std::vector<RuleSet::Match>;

  // Fills `matches_`.
  void FindMatches(const MessageView& message);
  // Counts a copy that an action changes.
  void NoteChange(const Rule& rule);
  bool MakesCopy(const RuleSet::Match& match, const Message& message,
                 const BrokerProperties& broker);
  void PlanCopies(const StoredMessage& sent);
  void PlanCopiesFor(Queue& subscription, const StoredMessage& sent, const RuleSet::Match* begin,
                     const RuleSet::Match* end);
  void PlanChangedCopy(Queue& subscription, const StoredMessage& sent, const Rule& rule);
  void PlanFailedCopy(Queue& subscription, const StoredMessage& sent, const Status& why);
  void Share(const StoredMessage& sent, MessagePublished& published);
  void GiveBodies(const std::string& body, bool is_stored);

  Random& random_;
  RuleWork& work_;
  RuleSet rules_;
  // Of the last message.
  std::size_t last_steps_ = 0;
  std::map<EntityId, Queue*> subscriptions_;
  // Those that are fenced.
  std::map<EntityId, Queue*> fenced_;
  // Of all subscriptions, which count it.
  std::shared_ptr<std::int64_t> bytes_ = std::make_shared<std::int64_t>(0);
  std::vector<LaneId> arrived_;
  // Kept, so that they are not allocated for each message.
  Matches matches_;
  std::vector<Copy> copies_;
};

}  // namespace wharf
