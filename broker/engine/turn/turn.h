// Turn: what a shard decides at one go, from plan to publish.
//
// Everything that is waiting is planned; the changes of all of it become one commit; and only when
// that is durable does anyone hear. Made on the shard's thread, and committed there; what callers
// hear of it is told on the publisher's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "broker/access/book.h"
#include "broker/core/changes/change.h"
#include "broker/core/changes/change_bytes.h"
#include "broker/core/messages/message_event.h"
#include "broker/core/queue/entity_latencies.h"
#include "broker/engine/turn/handed_out.h"
#include "broker/engine/turn/tellings.h"
#include "broker/engine/turn/turn_times.h"
#include "broker/topics/rule_work.h"
#include "broker/trace/tracer.h"
#include "storage/base/status.h"

namespace wharf {

class Turn {
 public:
  static constexpr std::size_t kChangesMax = 16384;
  // Copies for subscriptions: as many as one message to a topic may make. They cost the disk's
  // thread some 20 ms, and a caller that asks something else waits for as much.
  static constexpr std::size_t kCopiesMax = 2000;
  // Receivers and calls that end in it for what happened to others of their kind, what held locks
  // of a lane that is gone, and streams that are woken: each costs a few microseconds, and there
  // may be thousands.
  static constexpr std::size_t kEndingsMax = 256;
  // Of a task that ends one because its client leaves: a turn takes about as many.
  static constexpr std::size_t kEndingWeight = 16;
  static constexpr std::size_t kWakesMax = 256;
  // Of what its changes carry: a batch has about as many, and a few copies of it are made.
  static constexpr std::size_t kBytesMax = 16 * 1024 * 1024;

  using Telling = Tellings::Telling;
  // Told whether the turn is durable; if not, its outcome is unknown. Adds what callers hear then.
  using Publication = absl::AnyInvocable<void(const Status& committed, Tellings& tellings) &&>;

  // What the rules of topics may do in it, a few milliseconds (topics/rule_work.h).
  static constexpr std::uint64_t kRuleStepsMax = 8 * 1024 * 1024;

  // `work` outlives it; null: there are no topics.
  explicit Turn(Timestamp started, const RuleWork* work = nullptr)
      : now(started), work_(work), work_before_(work == nullptr ? 0 : work->steps()) {}

  // Called when the turn has been committed, on the shard's thread, in the order of these calls.
  void OnCommitted(Publication publication) { publications_.emplace_back(std::move(publication)); }
  // Tells a caller when the turn has been committed, by the Publisher, in the order of these calls,
  // those of OnCommitted among them.
  void Tell(Telling telling, Tellings::Length length = Tellings::Length::kAny) {
    publications_.emplace_back(Told{std::move(telling), length});
  }

  // It was committed, or not; returns what is to be told.
  Tellings Publish(const Status& committed) {
    Tellings tellings(committed);
    for (auto& publication : std::exchange(publications_, {})) {
      if (auto* told = std::get_if<Told>(&publication)) {
        tellings.Add(std::move(told->telling), told->length);
      } else {
        std::get<Publication>(std::move(publication))(committed, tellings);
      }
    }
    return tellings;
  }

  // Whether it has as many changes as shall be in one commit, or took as much time; what comes now
  // waits for the next. One request may exceed it, and is as bounded as what its caller may send.
  bool is_full() const {
    return changes.size() >= kChangesMax || bytes() >= kBytesMax || copies() >= kCopiesMax ||
           rule_steps() >= kRuleStepsMax;
  }
  // How many messages it has room for, at least one, if each becomes so many and asks rules for so
  // many steps.
  std::size_t RoomFor(std::size_t copies_each, std::uint64_t steps_each) const {
    const std::size_t by_changes = copies_each > 1 ? Left(copies(), kCopiesMax) / copies_each
                                                   : Left(changes.size(), kChangesMax);
    const std::uint64_t by_rules =
        Left(rule_steps(), kRuleStepsMax) / std::max<std::uint64_t>(steps_each, 1);
    return std::max<std::size_t>(std::min<std::uint64_t>(by_changes, by_rules), 1);
  }
  std::uint64_t rule_steps() const { return work_ == nullptr ? 0 : work_->steps() - work_before_; }
  // What the changes hold.
  std::size_t bytes() const {
    CountChanges();
    return bytes_;
  }
  std::size_t copies() const {
    CountChanges();
    return copies_;
  }
  bool is_empty() const { return changes.empty() && publications_.empty(); }
  bool may_end_more() const { return endings < kEndingsMax; }
  bool may_wake_more() const { return wakes < kWakesMax; }

  // Who asked for what is planned from here on; null: nobody. Kept only where event logs tell of
  // it.
  void ActFor(ActorPtr actor) {
    if (!keeps_actors || actor == this->actor()) return;
    acts.push_back({changes.size(), std::move(actor)});
  }
  ActorPtr actor() const { return acts.empty() ? nullptr : acts.back().actor; }

  const Timestamp now;
  // By the clock that times the shard's work.
  Duration began{};
  Changes changes;
  // Its time is committed, also if nothing changed.
  bool keeps_time = false;
  // Receivers and calls that ended, holders whose locks are gone, and streams that were woken.
  std::size_t endings = 0;
  std::size_t wakes = 0;
  // For how long messages had waited that are delivered in it for the first time.
  std::vector<Duration> waits;
  // Asked which messages are followed; null: none.
  trace::Tracer* tracer = nullptr;
  std::vector<HandedOut> handed_out;
  // Those of entities that are timed by themselves once more.
  std::vector<std::pair<EntityLatenciesPtr, Duration>> timed_waits;
  // Who may do what from its commit on; null: as before.
  std::shared_ptr<const access::Book> access_book{};
  // Who asked for the changes from `begin` on, in their order; before the first nobody did.
  struct Act {
    std::size_t begin;
    ActorPtr actor;
  };
  bool keeps_actors = false;
  std::vector<Act> acts{};
  // How many of its changes there were when counters were written.
  std::size_t counted = 0;
  // Of the batch that it became.
  std::size_t batch_bytes = 0;
  // For those who ask in it.
  const std::shared_ptr<TurnTimes> times = std::make_shared<TurnTimes>();

 private:
  struct Told {
    Telling telling;
    Tellings::Length length;
  };

  template <typename Count>
  static Count Left(Count used, Count max) {
    return max - std::min(used, max);
  }
  // Each is counted once.
  void CountChanges() const {
    for (; counted_ < changes.size(); ++counted_) {
      bytes_ += BytesOf(changes[counted_]);
      copies_ += std::holds_alternative<MessageCopied>(changes[counted_]) ? 1 : 0;
    }
  }

  const RuleWork* const work_;
  const std::uint64_t work_before_;
  std::vector<std::variant<Publication, Told>> publications_;
  mutable std::size_t counted_ = 0;
  mutable std::size_t bytes_ = 0;
  mutable std::size_t copies_ = 0;
};

}  // namespace wharf
