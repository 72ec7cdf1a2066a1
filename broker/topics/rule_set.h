// RuleSet: the rules of all subscriptions of one topic, made ready to be asked.
//
// A message is looked at once for the whole set: correlation filters by their index, SQL filters
// one by one. Owned by a Topic, used on the shard's thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "broker/core/entities/rule.h"
#include "broker/filter/correlation_index.h"
#include "broker/filter/message_view.h"
#include "broker/filter/sql_action.h"
#include "broker/filter/sql_filter.h"
#include "broker/topics/rule_work.h"
#include "storage/base/ids.h"
#include "storage/base/ranked.h"

namespace wharf {

// RUL-14. A true filter is SQL's 1=1 and a false one 1=0 (RUL-16), but each subscription of the
// topic has one such filter for nothing.
struct RuleLimits {
  // As many rules may have an action: each makes a copy of its own.
  std::size_t sql_filters_max = 2000;
  std::size_t correlation_filters_max = 100000;
};

// A rule that was checked and compiled.
struct Rule {
  EntityId subscription{};
  RuleDescription description{};
  // Of an SQL filter.
  std::optional<SqlFilter> filter{};
  std::optional<SqlAction> action{};
};

// Bytes of the texts and values of a rule.
std::size_t SizeOf(const RuleDescription& rule);
// More is refused: a message has no more properties than these (SIZ-5).
inline constexpr std::size_t kRuleBytesMax = 64 * 1024;

// Fails with FilterException or RuleActionException if the rule's text is wrong (RUL-11).
Result<Rule> CompileRule(EntityId subscription, RuleDescription description);

// Makes of `copy` what the rule's action, which it has, makes of it, and names the rule in it
// (RUL-5). Fails with RuleActionException if the action fails, or makes what nobody could send
// (RUL-9); with MessageSizeExceeded if only the size is wrong (RSN-3).
Status ApplyAction(const Rule& rule, const BrokerProperties& broker, Random& random, Message& copy);

class RuleSet {
 public:
  explicit RuleSet(const RuleLimits& limits) : limits_(limits) {}

  // QuotaExceeded if the topic, which has so many subscriptions, has as many filters of that kind
  // as it may have, or as many actions if the rule has one.
  Status CheckRoom(const RuleDescription& rule, std::size_t subscriptions) const;
  // That, or MessagingEntityAlreadyExists: the subscription has a rule of that name.
  Status CheckNew(EntityId subscription, const RuleDescription& rule,
                  std::size_t subscriptions) const;
  // Of a name that its subscription does not have. The limits are for rules that are added now:
  // what was stored under higher ones is loaded.
  void Add(Rule rule);
  // MessagingEntityNotFound if there is none; its stored name otherwise.
  Result<std::string> Remove(EntityId subscription, std::string_view name);
  void RemoveAll(EntityId subscription);

  // Null if there is none.
  const Rule* Find(EntityId subscription, std::string_view name) const;
  // Up to `count_max` rules in the order of their folded names, after `after` and so many more. It
  // takes as long wherever they are.
  std::vector<const Rule*> List(EntityId subscription, std::string_view after,
                                std::size_t count_max, std::size_t skip = 0) const;

  // A rule that matches, or that cannot be evaluated for the message.
  struct Match {
    const Rule* rule;
    Status error;
  };
  // Appends them by subscription; in each those without an action first, then by name. `random` is
  // asked by newid() only. Answers how many steps it took (rule_work.h).
  std::size_t FindMatches(const MessageView& message, Random& random, std::vector<Match>& matches);

  std::size_t sql_filters() const { return sql_.size(); }
  std::size_t actions() const { return action_count_; }
  // Of a message, without what its LIKEs cost.
  std::size_t steps() const { return sql_instructions_ * RuleWork::kStepsPerInstruction; }

 private:
  struct Held {
    std::string folded_name;
    Rule rule;
  };
  using HeldPtr = std::unique_ptr<Held>;
  struct NameOf {
    std::string_view operator()(const HeldPtr& held) const { return held->folded_name; }
  };

  Status CheckFilter(const RuleFilter& filter, std::size_t subscriptions) const;
  void Index(const Rule& rule);
  void NoteGone(const Rule& rule);
  // Takes a rule with a correlation filter out of the index.
  void Unindex(const Rule& rule, const CorrelationFilter& wanted);

  const RuleLimits limits_;
  // Of each subscription that has any.
  absl::flat_hash_map<EntityId, Ranked<HeldPtr, NameOf>> rules_;
  std::vector<const Rule*> always_;
  std::vector<const Rule*> sql_;
  // Of their filters.
  std::size_t sql_instructions_ = 0;
  CorrelationIndex correlation_;
  // Those with a true or a false filter.
  std::size_t constant_count_ = 0;
  std::size_t correlation_count_ = 0;
  std::size_t action_count_ = 0;
  CorrelationIndex::Id last_id_ = 0;
  absl::flat_hash_map<CorrelationIndex::Id, const Rule*> by_id_;
  absl::flat_hash_map<const Rule*, CorrelationIndex::Id> ids_;
  // Kept, so that nothing is allocated for a message.
  std::vector<CorrelationIndex::Id> found_;
};

}  // namespace wharf
