#include "broker/engine/turn/turn_audit.h"

#include <cassert>
#include <variant>

namespace wharf {
namespace {

using Sums = absl::flat_hash_map<LaneId, TurnAudit::Sum>;

// What each change does to the counters.
class Adder {
 public:
  explicit Adder(Sums& sums) : sums_(sums) {}

  void operator()(const MessageEnqueued& change) { Enter(change.lane, change.message->facts); }
  void operator()(const MessageLocked& change) {
    Move(change.lane, change.from, Standing::kLocked);
  }
  void operator()(const MessageCompleted& change) {
    Leave(change.lane, Standing::kLocked, change.facts);
  }
  void operator()(const MessageConsumed& change) { Leave(change.lane, change.from, change.facts); }
  void operator()(const MessageReturned& change) {
    Move(change.lane, Standing::kLocked, Standing::kReturned);
  }
  void operator()(const MessageDelayed& change) {
    Move(change.lane, Standing::kLocked, Standing::kDelayed);
  }
  void operator()(const MessageDelayEnded& change) {
    Move(change.lane, Standing::kDelayed, Standing::kReturned);
  }
  void operator()(const MessageDeferred& change) {
    Move(change.lane, Standing::kLocked, Standing::kDeferred);
  }
  void operator()(const MessageUndeferred& change) {
    Move(change.lane, Standing::kDeferred, Standing::kReturned);
  }
  void operator()(const MessageQuarantined& change) {
    Move(change.lane, change.note->from, Standing::kQuarantined);
    Of(change.lane.lane()).has_unknown = true;
  }
  void operator()(const MessageRemoved& change) { Leave(change.lane, change.from, change.facts); }
  void operator()(const MessagesExpired& change) {
    MessageCounts& counts = Of(change.lane.lane()).counts;
    counts.fresh -= change.count;
    counts.bytes -= change.bytes;
  }
  void operator()(const MessageDeadLettered& change) {
    Leave(change.from_lane, change.from, change.facts_before);
    Enter(change.to_lane, change.message->facts);
  }
  void operator()(const MessageRedriven& change) {
    Leave(change.from_lane, change.from, change.facts_before);
    Enter(change.to_lane, change.message->facts);
  }
  void operator()(const MessageForwarded& change) {
    Leave(change.from_lane, change.from, change.facts_before);
    if (!change.scheduled_for) return Enter(change.to_lane, change.message->facts);
    Schedule(change.to_lane.entity, 1, change.message->facts.size);
  }
  void operator()(const MessageScheduled& change) {
    Schedule(change.entity, 1, change.message->facts.size);
  }
  void operator()(const ScheduledCancelled& change) {
    Schedule(change.entity, -1, -change.facts.size);
    if (change.is_unreadable) Of({change.entity, LaneKind::kMain}).has_unknown = true;
  }
  void operator()(const ScheduledQuarantined& change) {
    Schedule(change.lane.entity, -1, 0);
    Sum& sum = Of(change.lane.lane());
    ++sum.counts.quarantined;
    sum.has_unknown = true;
  }
  void operator()(const MessageActivated& change) {
    Schedule(change.lane.entity, -1, -change.message->facts.size);
    Enter(change.lane, change.message->facts);
  }
  void operator()(const MessagePublished& change) {
    if (change.scheduled) Schedule(change.topic, -1, -change.message->facts.size);
    if (!change.origin) return;
    const MessagePublished::Origin& origin = **change.origin;
    Leave(origin.lane, origin.standing, origin.facts);
  }
  void operator()(const MessageCopied& change) { Enter(change.lane, change.message->facts); }
  void operator()(const LanePurged& change) {
    Sum& sum = Of(change.shelf.lane());
    const MessageCounts before = sum.counts;
    sum = {.counts = {.scheduled = before.scheduled, .scheduled_bytes = before.scheduled_bytes},
           .is_purged = true,
           .is_schedule_purged = sum.is_schedule_purged};
  }
  void operator()(const ScheduledPurged& change) {
    Sum& sum = Of({change.entity, LaneKind::kMain});
    sum.counts.scheduled = sum.counts.scheduled_bytes = 0;
    sum.is_schedule_purged = true;
  }
  // The others change no counters.
  template <typename Other>
  void operator()(const Other&) {}

 private:
  using Sum = TurnAudit::Sum;

  // Neighbours are mostly of one lane.
  Sum& Of(const LaneId& lane) {
    if (last_ == nullptr || last_lane_ != lane) {
      last_ = &sums_[lane];
      last_lane_ = lane;
    }
    return *last_;
  }

  // In a dead-letter queue nothing is fresh.
  void Enter(const Shelf& shelf, const MessageFacts& facts) {
    MessageCounts& counts = Of(shelf.lane()).counts;
    ++(shelf.kind == LaneKind::kMain ? counts.fresh : counts.returned);
    counts.bytes += facts.size;
    if (facts.body_ref) ++counts.separate_bodies;
  }
  void Leave(const Shelf& shelf, Standing from, const MessageFacts& facts) {
    MessageCounts& counts = Of(shelf.lane()).counts;
    --counts.of(from);
    counts.bytes -= facts.size;
    if (facts.body_ref) --counts.separate_bodies;
  }
  void Move(const Shelf& shelf, Standing from, Standing to) {
    MessageCounts& counts = Of(shelf.lane()).counts;
    --counts.of(from);
    ++counts.of(to);
  }
  void Schedule(EntityId entity, std::int64_t messages, std::int64_t bytes) {
    MessageCounts& counts = Of({entity, LaneKind::kMain}).counts;
    counts.scheduled += messages;
    counts.scheduled_bytes += bytes;
  }

  Sums& sums_;
  Sum* last_ = nullptr;
  LaneId last_lane_;
};

// What the lane must count now, if it counted `before` when it was last written.
MessageCounts Expected(const MessageCounts& before, const TurnAudit::Sum& sum,
                       const MessageCounts& counted) {
  MessageCounts counts = sum.counts;
  if (!sum.is_purged) {
    counts.fresh += before.fresh;
    counts.locked += before.locked;
    counts.returned += before.returned;
    counts.delayed += before.delayed;
    counts.deferred += before.deferred;
    counts.quarantined += before.quarantined;
    counts.bytes += before.bytes;
    counts.separate_bodies += before.separate_bodies;
  }
  // What was unknown is known when the lane is empty, in the midst of the turn perhaps.
  if (!before.knows_separate_bodies && !sum.is_purged) {
    counts.separate_bodies = counted.separate_bodies;
    counts.knows_separate_bodies = counted.knows_separate_bodies;
  }
  if (!sum.is_schedule_purged) {
    counts.scheduled += before.scheduled;
    counts.scheduled_bytes += before.scheduled_bytes;
  }
  return counts;
}

}  // namespace

void TurnAudit::Assert(const Changes& changes, const TouchedLanes::Lanes& touched,
                       const Catalog& catalog) {
  sums_.clear();
  Adder adder(sums_);
  for (const Change& change : changes) std::visit(adder, change);
  for (const LaneId& lane : touched) {
    const Queue* queue = catalog.Find(lane.entity);
    if (queue == nullptr) continue;
    for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
      AssertLane(queue->lane(kind));
    }
  }
  // What is left changed and would not be written.
  for (const auto& [lane, sum] : sums_) {
    const Queue* queue = catalog.Find(lane.entity);
    [[maybe_unused]] const bool is_written = queue == nullptr || touched.contains(lane) ||
                                             touched.contains({lane.entity, LaneKind::kMain}) ||
                                             touched.contains({lane.entity, LaneKind::kDeadLetter});
    assert(is_written);
  }
}

void TurnAudit::AssertLane(const Lane& lane) const {
  if (!lane.contradiction().ok()) return;
  const auto found = sums_.find(lane.id());
  [[maybe_unused]] const Sum sum = found == sums_.end() ? Sum() : found->second;
  [[maybe_unused]] const MessageCounts& counted = lane.counters();
  // How many there are is then found out as they are read.
  [[maybe_unused]] const bool is_uncertain =
      sum.has_unknown || counted.is_uncertain || lane.written_counts().is_uncertain;
  assert(is_uncertain || counted == Expected(lane.written_counts(), sum, counted));
  lane.AssertWhole();
}

}  // namespace wharf
