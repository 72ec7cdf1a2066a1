// PublishTopic: the topic that a measurement publishes to, with its subscriptions and rules, under
// a name of its own, gone afterwards; an interrupt deletes it, too (cleanup.h). Used on the main
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tools/wharf/bench/cleanup.h"

namespace wharf::tool {

struct PublishTopicPlan {
  std::string name = "bench";
  std::size_t subscriptions = 100;
  // How many of them take every message, if there are no other rules.
  std::size_t matching = 100;
  // Spread over the subscriptions, which then have no others.
  std::size_t sql_rules = 0;
  std::size_t correlation_rules = 0;
  // How many of these rules match, SQL ones first.
  std::size_t matching_rules = 0;

  bool has_rules() const { return sql_rules + correlation_rules > 0; }
};

class PublishTopic {
 public:
  // `plan.name` gets a random suffix. As many messages fit in as the disk holds.
  PublishTopic(Program& program, PublishTopicPlan plan);

  // Many calls at a time.
  Status Create();
  // Leaves it in place at the end.
  void Keep() { cleanup_.Keep(); }
  // Before the outcome is told.
  void WaitIfInterrupted() { cleanup_.WaitIfInterrupted(); }

  const std::string& name() const { return plan_.name; }
  // A message that the matching rules match, and the others do not.
  v1::Message Message() const;
  // In all subscriptions together.
  Result<std::uint64_t> CountCopies();

 private:
  Status CreateSubscription(std::size_t index);
  Status AddRule(std::size_t index);
  // The subscription of a rule, or of an index of its own.
  client::SubscriptionId IdOf(std::size_t index) const;

  client::Client& client_;
  const PublishTopicPlan plan_;
  Cleanup cleanup_;  // Last: it uses the rest.
};

}  // namespace wharf::tool
