#include "broker/engine/background/due_sweeper.h"

#include <algorithm>
#include <utility>

#include <spdlog/spdlog.h>

#include "broker/reading/careful_reader.h"

namespace wharf {
namespace {

// What one read brings, and one turn does.
constexpr std::size_t kStepMessages = 2048;
constexpr std::size_t kStepBytes = 4 * 1024 * 1024;
// After a read that failed.
constexpr Duration kPause = std::chrono::seconds(1);

}  // namespace

DueSweeper::DueSweeper(const WorkerContext& context, const std::vector<DueHandled>& handled,
                       Duration grain)
    : context_(context), grain_(grain), calendar_(handled), step_(kStepMessages) {}

void DueSweeper::PlanDue(Turn& turn) {
  if (!is_reading_ && calendar_.next() <= turn.now) Read(Urgency::kAwaited, turn);
}

void DueSweeper::Read(Urgency urgency, Turn& turn) {
  is_reading_ = true;
  Reading reading{turn.now, calendar_.TakeDue(turn.now), context_.catalog.BeginPageWatch(),
                  std::exchange(in_runs_, {})};
  context_.reads.ReadAfter(
      turn, urgency,
      [this, bounds = DueBounds{step_, kStepBytes, grain_},
       reading = std::move(reading)](const StoreView& view) mutable -> Task {
        bounds.in_runs = &reading.in_runs;
        Batches batches = ReadAllDue(view, reading.places, reading.now, bounds);
        return [this, batches = std::move(batches), reading = std::move(reading)](
                   Turn& later) mutable { Take(batches, reading, later); };
      });
}

// A bucket that cannot be read rests, and the others go on.
void DueSweeper::Take(const Batches& batches, const Reading& reading, Turn& turn) {
  is_reading_ = false;
  if (context_.open.is_closed()) return;
  const std::vector<std::optional<DueHint>> first_left = HandleAll(batches, reading, turn);
  Status failed;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const DuePlace& place = reading.places[i];
    if (batches[i].ok()) {
      if (!batches[i]->lost.ok()) failed = batches[i]->lost;
      GoOn(place, *batches[i], first_left[i], reading.now, turn);
    } else {
      failed = batches[i].status();
      calendar_.Rest(place, After(turn.now, kPause));
    }
  }
  if (!failed.ok()) spdlog::error("what is due cannot be read: {}", failed.message());
  if (calendar_.next() <= turn.now) Read(Urgency::kBackground, turn);
}

// At one instant in the order of the rows, as if what shares a hint had its own.
DueSweeper::InOrder DueSweeper::Sort(const Batches& batches) {
  InOrder in_order;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    if (!batches[i].ok()) continue;
    for (const DueMessage& due : batches[i]->messages) in_order.emplace_back(&due, i);
  }
  std::sort(in_order.begin(), in_order.end(), [](const auto& one, const auto& other) {
    return IsBefore(one.first->hint, other.first->hint);
  });
  return in_order;
}

// What is scheduled has a number between those of others, and does not expire with them; nor does
// what was not there any more.
bool DueSweeper::HasChanged(const DueMessage& due, const PageWatch& watch) const {
  const DueHint& hint = due.hint;
  const bool may_be_in_span = hint.kind != DueKind::kActivate && due.found;
  return may_be_in_span ? context_.catalog.HasChanged(hint.lane, hint.number, watch)
                        : watch.Saw(hint.lane.lane(), hint.number);
}

void DueSweeper::HandleRuns(const Batches& batches, const Reading& reading, DueRuns& runs,
                            std::vector<DueRest>& rests, Turn& turn) {
  for (std::size_t i = 0; i < batches.size(); ++i) {
    if (!batches[i].ok()) continue;
    for (const DueRun& due : batches[i]->runs) {
      if (turn.is_full() || !runs.Take(due, reading.watch, turn)) rests[i].Leave(due);
    }
  }
}

// What was changed meanwhile, or does not fit into the turn, is left: a message that goes to a
// topic may have thousands of copies.
std::vector<std::optional<DueHint>> DueSweeper::HandleAll(const Batches& batches,
                                                          const Reading& reading, Turn& turn) {
  std::vector<DueRest> rests;
  for (const Result<DueBatch>& batch : batches) rests.emplace_back(batch.ok() ? &*batch : nullptr);
  std::size_t handled = 0;
  DueRuns runs(context_);
  HandleRuns(batches, reading, runs, rests, turn);
  for (const auto& [due, i] : Sort(batches)) {
    if (!turn.is_full() && !HasChanged(*due, reading.watch)) {
      if (!runs.Take(*due, turn)) Handle(*due, turn);
      ++handled;
    } else {
      rests[i].Leave(*due);
    }
  }
  for (const DueMessage* due : runs.Finish(turn)) Handle(*due, turn);
  in_runs_ = runs.TakeShelves();
  step_ = turn.is_full() ? std::max<std::size_t>(handled, 1) : std::min(step_ * 2, kStepMessages);
  std::vector<std::optional<DueHint>> first_left;
  for (DueRest& rest : rests) {
    first_left.push_back(rest.Finish(context_.catalog, reading.now, turn.changes));
  }
  return first_left;
}

// Goes on at the first message that was left. Otherwise behind what was due: every hint that is
// written from now on has a later time, and rows that are gone need not be walked again.
void DueSweeper::GoOn(const DuePlace& place, const DueBatch& batch,
                      const std::optional<DueHint>& first_left, Timestamp now, Turn& turn) {
  DueCalendar::Look look{.position = first_left, .next = batch.next};
  Timestamp handled = place.from.time;
  if (batch.last) handled = batch.last->time;
  if (first_left) {
    handled = look.next = first_left->time;
  } else if (batch.next > now) {
    look.position = DueHint{.time = now, .kind = DueKind{}, .lane = {}, .number = {}};
  } else if (batch.last) {
    look.position = batch.last;
    look.position->number = batch.last->number.Next();
  }
  // Unless what was passed by before is looked for again: a fence is gone.
  const bool is_handled =
      handled > place.from.time && !calendar_.IsNotedBefore(place.bucket, handled);
  if (is_handled) turn.changes.push_back(DueHandled{place.bucket, handled});
  calendar_.GoOn(place, look);
}

// The hints of what is fenced stay; they are looked for again when it was recounted.
void DueSweeper::Handle(const DueMessage& due, Turn& turn) {
  if (context_.catalog.IsFenced(due.hint.lane.entity)) return;
  if (due.is_contradicted) return Contradict(due.hint.lane);
  bool is_done = false;
  if (due.unreadable || (due.found && !due.found->is_readable())) {
    PassUnreadable(due, turn);
    turn.changes.push_back(DueHintDropped{due.hint});
    return;
  }
  switch (due.hint.kind) {
    case DueKind::kExpire:
    case DueKind::kExpireShared:
      is_done = due.found && Expire(due, turn);
      break;
    case DueKind::kActivate:
      is_done = due.found && Activate(due, turn);
      break;
    case DueKind::kEndDelay:
      is_done = due.found && EndDelay(due, turn);
      break;
  }
  if (!is_done && !due.shared) turn.changes.push_back(DueHintDropped{due.hint});
}

// The turn fences it; nothing else of the bucket waits for it.
void DueSweeper::Contradict(const Shelf& shelf) {
  Queue* queue = context_.catalog.FindShelf(shelf);
  if (queue == nullptr) return;
  context_.touched.Touch(shelf.lane());
  queue->lane(shelf.kind).NoteContradiction("what was counted out of it cannot be read");
}

// What waits is met by a receiver, who passes it; nobody meets what waits for the end of a delay.
// If its row is lost only the hint of the delay tells that it was delayed.
void DueSweeper::PassUnreadable(const DueMessage& due, Turn& turn) {
  if (!due.found) return PassScheduled(due, turn);
  Queue* queue = context_.catalog.FindShelf(due.hint.lane);
  const bool is_delayed = due.found->standing == Standing::kDelayed &&
                          (!due.found->is_guess || due.hint.kind == DueKind::kEndDelay);
  if (queue == nullptr || !is_delayed) return;
  context_.touched.Touch(due.hint.lane.lane());
  queue->lane(due.hint.lane.kind).Quarantine(UnreadableOf(*due.found), turn.now, turn.changes);
}

void DueSweeper::PassScheduled(const DueMessage& due, Turn& turn) {
  Queue* queue = context_.catalog.Find(due.hint.lane.entity);
  const SequenceNumber number = due.hint.number;
  const bool is_current =
      queue != nullptr && number >= queue->lane(LaneKind::kMain).counters().scheduled_floor;
  if (!is_current) return;
  spdlog::error("scheduled message {} of '{}' cannot be read, and is not activated: {}",
                number.value(), queue->description().name, due.unreadable->reason);
  context_.touched.Touch(due.hint.lane.lane());
  queue->scheduled().Quarantine(number, *due.unreadable, turn.now, turn.changes);
}

// A locked message waits for the end of its lock (TTL-7), a deferred one for its receiver (TTL-14).
bool DueSweeper::Expire(const DueMessage& due, Turn& turn) {
  Queue* queue = context_.catalog.FindShelf(due.hint.lane);
  const FoundMessage& found = *due.found;
  if (queue == nullptr || found.message->facts.expires_at != due.hint.time) return false;
  if (found.standing == Standing::kLocked || found.standing == Standing::kDeferred) return false;
  context_.touched.Touch(due.hint.lane.lane());
  return queue->expiry().Expire(due.hint.lane.kind, found, turn.now, turn.changes);
}

bool DueSweeper::Activate(const DueMessage& due, Turn& turn) {
  Queue* queue = context_.catalog.Find(due.hint.lane.entity);
  if (queue == nullptr) return false;
  const SequenceNumber number = due.hint.number;
  const MessagePtr& message = due.found->message;
  const bool is_current = message->message.scheduled_enqueue_time == due.hint.time &&
                          number >= queue->lane(LaneKind::kMain).counters().scheduled_floor;
  if (!is_current) return false;
  context_.touched.Touch(due.hint.lane.lane());
  return queue->scheduled().Activate({number}, {{{number, message}}}, turn.now, turn.changes).ok();
}

bool DueSweeper::EndDelay(const DueMessage& due, Turn& turn) {
  Queue* queue = context_.catalog.FindShelf(due.hint.lane);
  const FoundMessage& found = *due.found;
  const bool is_current = queue != nullptr && found.standing == Standing::kDelayed &&
                          found.available_at == due.hint.time;
  if (!is_current) return false;
  const LaneKind kind = due.hint.lane.kind;
  context_.touched.Touch(due.hint.lane.lane());
  // Its own time to live may have ended at the same instant; the hint of the delay is then left.
  if (queue->expiry().Expire(kind, found, turn.now, turn.changes)) return false;
  queue->by_number().EndDelay(kind, found, turn.changes);
  return true;
}

}  // namespace wharf
