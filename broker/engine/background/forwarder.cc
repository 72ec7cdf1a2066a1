#include "broker/engine/background/forwarder.h"

#include <algorithm>

#include <spdlog/spdlog.h>

#include "broker/core/entities/forward_target.h"
#include "broker/core/queue/transfer.h"

namespace wharf {
namespace {

// What one turn forwards: the changes carry the messages, with all that is not in rows of its own.
constexpr std::size_t kForwardedPerTurn = 4096;
constexpr std::int64_t kTurnBytes = 4 * 1024 * 1024;
// What one lane forwards before the next.
constexpr std::size_t kForwardedPerLane = 512;
// Lanes that are read at a time: their windows have room beside those of receivers.
constexpr std::size_t kReadingMax = 8;
// How long a lane rests when its target takes nothing: at first, and at most.
constexpr Duration kRestMin = std::chrono::seconds(1);
constexpr Duration kRestMax = std::chrono::minutes(1);

constexpr LaneKind kLanes[] = {LaneKind::kMain, LaneKind::kDeadLetter};

// What the changes carry of a message.
std::int64_t CarriedBytes(const StoredMessage& message) {
  const auto& body = message.facts.body_ref;
  return message.facts.size - (body ? static_cast<std::int64_t>(body->size) : 0);
}

}  // namespace

void Forwarder::Start(const Queue& queue) {
  for (const LaneKind kind : kLanes) {
    const LaneId lane = queue.lane(kind).id();
    if (queue.forwards_to(kind) && queue.lane(kind).has_unpassed())
      context_.touched.TouchLater(lane);
  }
}

// When a commit has failed the store lacks what memory has, and it would be read for ever.
bool Forwarder::IsWanted(const Queue& queue, LaneKind kind) {
  const LaneId lane = queue.lane(kind).id();
  if (!queue.forwards_to(kind) || IsResting(lane) || !queue.lane(kind).has_unpassed()) return false;
  if (context_.open.is_closed()) return false;
  if (reading_.contains(lane)) return true;
  if (reading_.size() < kReadingMax) return reading_.insert(lane).second;
  if (is_waiting_.insert(lane).second) waiting_.push_back(lane);
  return false;
}

// Its place goes to the one that has waited longest.
void Forwarder::EndReading(LaneId lane) {
  if (reading_.erase(lane) == 0) return;
  while (!waiting_.empty()) {
    const LaneId next = waiting_.front();
    waiting_.pop_front();
    is_waiting_.erase(next);
    if (!unfinished_.contains(next)) continue;
    reading_.insert(next);
    return context_.touched.TouchLater(next);
  }
}

// Whatever touches a queue may have put something into its dead-letter queue.
Forwarder::Lanes Forwarder::LanesAmong(const Lanes& touched) {
  Lanes lanes;
  for (const LaneId& lane : touched) {
    const Queue* queue = context_.catalog.Find(lane.entity);
    if (queue == nullptr) continue;
    for (const LaneKind kind : kLanes) {
      if (!queue->forwards_to(kind)) continue;
      const bool is_meant = kind == lane.kind || queue->lane(kind).has_unpassed();
      if (is_meant) lanes.insert({lane.entity, kind});
    }
  }
  return lanes;
}

// Goes on behind the lane that was served last, so that none waits for the others for ever.
LaneId Forwarder::NextOf(const Lanes& lanes) const {
  const auto next = lanes.upper_bound(last_);
  return next == lanes.end() ? *lanes.begin() : *next;
}

void Forwarder::Plan(const Lanes& touched, Turn& turn) {
  Lanes lanes = LanesAmong(touched);
  Budget budget{kForwardedPerTurn, kTurnBytes};
  while (!lanes.empty() && !budget.is_spent() && !turn.is_full()) {
    last_ = NextOf(lanes);
    lanes.erase(last_);
    Serve(last_, lanes, budget, turn);
  }
  for (const LaneId& lane : lanes) context_.touched.TouchLater(lane);
}

// What it forwards may be forwarded on in the same turn, and what is left comes when the others had
// their slice: `lanes` are those.
void Forwarder::Serve(LaneId lane, Lanes& lanes, Budget& budget, Turn& turn) {
  Queue& source = *context_.catalog.Find(lane.entity);
  context_.touched.Touch(lane);
  if (IsResting(lane) || in_line_.contains(lane)) return;
  if (source.lane(lane.kind).head(nullptr) == nullptr) return NoteLeft(source, lane.kind);
  // Moving takes room before it gives any back.
  if (!disk_.has_room()) return Rest(lane, turn.now);
  const Result<Queue*> target = FindForwardTarget(context_.catalog, *source.forwards_to(lane.kind));
  // A dead letter would tell of a fault that is none of the message's.
  if (target.ok() && !(*target)->CheckFence().ok()) return Rest(lane, turn.now);
  if (target.ok() && (*target)->description().requires_duplicate_detection) {
    return StandInLine(source, lane.kind, **target, turn);
  }
  const std::size_t slice = std::min(budget.messages, kForwardedPerLane);
  Budget left{slice, budget.bytes};
  KnownIds none;
  Forward(source, lane.kind, target, nullptr, none, left, turn);
  budget = {budget.messages - (slice - left.messages), left.bytes};
  if (source.lane(lane.kind).head(nullptr) != nullptr && !IsResting(lane)) lanes.insert(lane);
  if (source.forwards_to(LaneKind::kDeadLetter)) {
    lanes.insert({lane.entity, LaneKind::kDeadLetter});
  }
  if (target.ok() && (*target)->forwards_to(LaneKind::kMain)) {
    lanes.insert({(*target)->id(), LaneKind::kMain});
  }
}

// With `ids`: those that `known` was looked up for. Any other message waits for the next time.
void Forwarder::Forward(Queue& source, LaneKind kind, const Result<Queue*>& target,
                        const MessageIds* ids, KnownIds& known, Budget& budget, Turn& turn) {
  const LaneId lane = source.lane(kind).id();
  while (!budget.is_spent() && !turn.is_full()) {
    const StoredMessage* head = source.lane(kind).head(nullptr);
    if (head == nullptr) break;
    if (ids != nullptr && !IsLookedUp(**target, head->message, *ids)) break;
    --budget.messages;
    budget.bytes -= CarriedBytes(*head);
    const Forwarded what = ForwardHead(source, kind, target, known, turn.now, turn.changes);
    if (what == Forwarded::kBlocked) {
      Rest(lane, turn.now);
      break;
    }
    if (what == Forwarded::kPassed) held_back_.insert(lane);
    if (what == Forwarded::kDeadLettered)
      context_.touched.Touch({lane.entity, LaneKind::kDeadLetter});
    if (what == Forwarded::kMoved) {
      context_.touched.Touch((*target)->lane(LaneKind::kMain).id());
      EndRest(lane);
    }
  }
  NoteLeft(source, kind);
  // What was read is gone: now others that wait for that go first.
  if (source.lane(kind).head(nullptr) == nullptr && !waiting_.empty()) EndReading(lane);
}

bool Forwarder::IsLookedUp(const Queue& target, const Message& message, const MessageIds& ids) {
  const std::optional<DuplicateId> id = target.duplicates().IdOf(message);
  return !id || ids.contains(*id);
}

// A message that comes from elsewhere is a duplicate like any other (DUP-9), so it stands in line
// with those that are sent.
void Forwarder::StandInLine(Queue& source, LaneKind kind, const Queue& target, Turn& turn) {
  const LaneId lane = source.lane(kind).id();
  SendLine::Ticket ticket;
  MessageIds ids;
  for (const MessagePtr& message : source.lane(kind).Ahead(kForwardedPerLane)) {
    ++ticket.weight;
    std::optional<DuplicateId> id = target.duplicates().IdOf(message->message);
    if (!id) continue;
    ticket.bytes += id->message_id.size();
    ids.insert(*std::move(id));
  }
  ticket.ids.assign(ids.begin(), ids.end());
  ticket.send = [this, lane, target = target.id(), ids = std::move(ids)](
                    Turn& later, const Result<KnownIds*>& known) {
    ForwardLookedUp(lane, target, ids, known, later);
  };
  in_line_.insert(lane);
  unfinished_.insert(lane);
  sends_.Plan(target, std::move(ticket), turn);
}

// By now the source, its target and what is at its head may be others.
void Forwarder::ForwardLookedUp(LaneId lane, EntityId target, const MessageIds& ids,
                                const Result<KnownIds*>& known, Turn& turn) {
  in_line_.erase(lane);
  unfinished_.erase(lane);
  context_.touched.Touch(lane);
  Queue* source = context_.catalog.Find(lane.entity);
  if (context_.open.is_closed() || source == nullptr || !source->forwards_to(lane.kind)) return;
  if (!known.ok()) {
    // Busy, perhaps; the target itself takes messages.
    EndRest(lane);
    return Rest(lane, turn.now);
  }
  const Result<Queue*> found = FindForwardTarget(context_.catalog, *source->forwards_to(lane.kind));
  if (!found.ok() || (*found)->id() != target) return;
  if (!(*found)->CheckFence().ok()) return Rest(lane, turn.now);
  Budget budget{kForwardedPerLane, kTurnBytes};
  Forward(*source, lane.kind, found, &ids, **known, budget, turn);
}

// It came while lanes were matched, as the copies of a message that was forwarded to a topic.
bool Forwarder::IsLeft(const Queue& queue, LaneKind kind) const {
  const LaneId lane = queue.lane(kind).id();
  const bool may_go = queue.forwards_to(kind) && !IsResting(lane) && !in_line_.contains(lane);
  return may_go && !context_.open.is_closed() && queue.lane(kind).head(nullptr) != nullptr;
}

// A lane with nothing left is not looked at before it is touched again.
void Forwarder::NoteLeft(const Queue& source, LaneKind kind) {
  const LaneId lane = source.lane(kind).id();
  if (source.lane(kind).has_unpassed() && !IsResting(lane)) {
    unfinished_.insert(lane);
    return;
  }
  unfinished_.erase(lane);
  EndReading(lane);
}

bool Forwarder::IsResting(LaneId lane) const {
  const auto rest = rests_.find(lane);
  return rest != rests_.end() && rest->second.until != kNever;
}

// Each time for twice as long, until something was forwarded.
void Forwarder::Rest(LaneId lane, Timestamp now) {
  Resting& rest = rests_[lane];
  alarms_.erase({rest.until, lane});
  rest.length = std::clamp(rest.length * 2, kRestMin, kRestMax);
  rest.until = After(now, rest.length);
  alarms_.emplace(rest.until, lane);
  unfinished_.erase(lane);
  EndReading(lane);
}

void Forwarder::EndRest(LaneId lane) {
  const auto rest = rests_.find(lane);
  if (rest == rests_.end()) return;
  alarms_.erase({rest->second.until, lane});
  rests_.erase(rest);
}

void Forwarder::PlanDue(Turn& turn) {
  while (!alarms_.empty() && alarms_.begin()->first <= turn.now) {
    const LaneId lane = alarms_.begin()->second;
    alarms_.erase(alarms_.begin());
    rests_.at(lane).until = kNever;
    context_.touched.Touch(lane);
  }
}

Timestamp Forwarder::next_deadline() const {
  return alarms_.empty() ? kNever : alarms_.begin()->first;
}

void Forwarder::OnUnreadable(LaneId lane, const Status& /*reason*/, Turn& turn) {
  const Queue* queue = context_.catalog.Find(lane.entity);
  if (queue != nullptr && queue->forwards_to(lane.kind)) Rest(lane, turn.now);
}

void Forwarder::OnEntityChanged(Queue& queue, Turn& /*turn*/) {
  for (const LaneKind kind : kLanes) LookAgain(queue, kind);
  Lanes waiting = held_back_;
  for (const auto& [lane, rest] : rests_) waiting.insert(lane);
  for (const LaneId& lane : waiting) {
    Queue& source = *context_.catalog.Find(lane.entity);
    const Result<Queue*> target =
        FindForwardTarget(context_.catalog, *source.forwards_to(lane.kind));
    if (target.ok() && *target == &queue) LookAgain(source, lane.kind);
  }
}

// As if nothing were known of what its target takes.
void Forwarder::LookAgain(Queue& source, LaneKind kind) {
  Lane& lane = source.lane(kind);
  if (lane.passed() > 0) lane.DropWindow();
  Forget(lane.id());
  context_.touched.Touch(lane.id());
}

void Forwarder::OnEntityDeleted(EntityId entity, const Status& /*reason*/, Turn& /*turn*/) {
  for (const LaneKind kind : kLanes) Forget({entity, kind});
}

void Forwarder::Forget(LaneId lane) {
  EndRest(lane);
  held_back_.erase(lane);
  unfinished_.erase(lane);
  EndReading(lane);
}

}  // namespace wharf
