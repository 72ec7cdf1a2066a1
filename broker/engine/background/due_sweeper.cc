#include "broker/engine/background/due_sweeper.h"

#include <algorithm>

#include <spdlog/spdlog.h>

namespace wharf {
namespace {

// What one read brings, and one turn does.
constexpr std::size_t kMessagesPerStep = 2048;
constexpr std::size_t kBytesPerStep = 4 * 1024 * 1024;
constexpr Duration kLookahead = std::chrono::seconds(1);
// After a read that failed.
constexpr Duration kPause = std::chrono::seconds(1);

}  // namespace

DueSweeper::DueSweeper(const WorkerContext& context, Timestamp handled_until)
    : context_(context), next_(handled_until), lookahead_(kLookahead), step_(kMessagesPerStep) {
  position_.time = handled_until;
  position_.kind = DueKind{};
}

void DueSweeper::Note(Timestamp due) { next_ = std::min(next_, due); }

void DueSweeper::PlanDue(Turn& turn) {
  if (!is_reading_ && next_ <= turn.now) Read(turn);
}

void DueSweeper::Read(Turn& turn) {
  is_reading_ = true;
  next_ = kNever;
  Reading reading{turn.now, After(turn.now, lookahead_), step_, context_.catalog.BeginPageWatch()};
  context_.reads.ReadAfter(
      turn,
      [this, from = position_,
       reading = std::move(reading)](const StoreView& view) mutable -> Task {
        Result<DueBatch> batch =
            ReadDue(view, from, reading.now, reading.horizon, reading.messages_max, kBytesPerStep);
        return [this, batch = std::move(batch), reading = std::move(reading)](Turn& later) mutable {
          Take(std::move(batch), reading, later);
        };
      });
}

// Goes on behind what was handled, or at the first message that was changed meanwhile or did not
// fit into the turn: one that goes to a topic may have thousands of copies.
void DueSweeper::Take(Result<DueBatch> batch, const Reading& reading, Turn& turn) {
  is_reading_ = false;
  if (context_.open.is_closed()) return;
  if (!batch.ok()) {
    spdlog::error("what is due cannot be read: {}", batch.status().message());
    next_ = After(turn.now, kPause);
    return;
  }
  std::optional<DueHint> first_left;
  std::size_t handled = 0;
  for (const DueMessage& due : batch->messages) {
    const bool may_handle =
        !turn.is_full() && !reading.watch.Saw(due.hint.lane.lane(), due.hint.number);
    if (may_handle) {
      Handle(due, turn);
      ++handled;
    } else if (!first_left) {
      first_left = due.hint;
    }
  }
  step_ =
      turn.is_full() ? std::max<std::size_t>(handled, 1) : std::min(step_ * 2, kMessagesPerStep);
  if (first_left) {
    position_ = *first_left;
  } else if (!batch->messages.empty()) {
    position_ = batch->messages.back().hint;
  }
  if (!batch->messages.empty()) turn.changes.push_back(DueHandled{position_.time});
  const bool is_found = batch->next != kNever || reading.horizon == kNever;
  lookahead_ = is_found ? kLookahead : std::min(lookahead_ * 2, kUnlimited / 2);
  next_ = std::min(next_, is_found ? batch->next : reading.horizon);
  if (first_left) next_ = std::min(next_, first_left->time);
  PlanDue(turn);
}

void DueSweeper::Handle(const DueMessage& due, Turn& turn) {
  bool is_done = false;
  switch (due.hint.kind) {
    case DueKind::kExpire:
      is_done = due.found && Expire(due, turn);
      break;
    case DueKind::kActivate:
      is_done = due.found && Activate(due, turn);
      break;
    case DueKind::kEndDelay:
      is_done = due.found && EndDelay(due, turn);
      break;
  }
  if (!is_done) turn.changes.push_back(DueHintDropped{due.hint});
}

// A locked message waits for the end of its lock (TTL-7), a deferred one for whoever asks (TTL-14).
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
  return queue->scheduled().Activate({number}, {{number, message}}, turn.now, turn.changes).ok();
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
