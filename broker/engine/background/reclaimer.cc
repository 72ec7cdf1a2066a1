#include "broker/engine/background/reclaimer.h"

#include <limits>

#include <spdlog/spdlog.h>

namespace wharf {
namespace {

// Messages that one step reclaims.
constexpr std::size_t kReclaimedPerStep = 1024;
// Then a compaction of its own is worth its work.
constexpr std::size_t kStepsWorthCompacting = 64;
// The same of what goes unread: it costs one deletion of a range, and a thousand queues may go
// together.
constexpr std::int64_t kMessagesWorthCompacting = 256;
constexpr SequenceNumber kEnd{std::numeric_limits<std::uint64_t>::max()};

// What cannot be read stays until the next start.
void LogUnreadable(const Status& status) {
  spdlog::error("rows of deleted messages cannot be reclaimed: {}", status.message());
}

}  // namespace

void Reclaimer::ReclaimEntity(EntityId entity, const Remains& remains, Turn& turn) {
  if (!remains.can_go_unread || IsUnderWay(entity)) return ReclaimEntity(entity, turn);
  EndUnread({WorkKind::kUnreadEntity,
             {entity, LaneKind::kMain},
             remains.messages >= kMessagesWorthCompacting},
            turn);
}

// The shelf is free at once: what is written to it later comes behind its ranges.
void Reclaimer::ReclaimShelf(const Shelf& shelf, const Remains& remains, Turn& turn) {
  if (!remains.can_go_unread) return ReclaimShelf(shelf, turn);
  EndUnread({WorkKind::kUnreadShelf, shelf, remains.messages >= kMessagesWorthCompacting}, turn);
}

bool Reclaimer::IsUnderWay(EntityId entity) const {
  if (schedules_.contains(entity)) return true;
  // Mostly there is none, and a thousand entities may go in one turn.
  if (busy_.empty()) return false;
  for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    for (std::uint8_t generation = 0; generation < kShelfGenerations; ++generation) {
      if (busy_.contains({{entity, kind}, generation})) return true;
    }
  }
  return false;
}

void Reclaimer::EndUnread(const Work& work, Turn& turn) {
  if (unread_under_way_ >= kUnreadMax) {
    if (work.kind == WorkKind::kUnreadShelf) {
      busy_.emplace(work.shelf.lane(), work.shelf.generation);
    }
    return Enter(work, turn);
  }
  ++unread_under_way_;
  turn.OnCommitted([this](const Status&, Tellings&) { --unread_under_way_; });
  FinishUnread(work, turn);
}

void Reclaimer::FinishUnread(const Work& work, Turn& turn) {
  if (work.kind == WorkKind::kUnreadShelf) {
    turn.changes.push_back(ShelfReclaimFinished{work.shelf, work.frees_much});
  } else {
    turn.changes.push_back(EntityReclaimFinished{work.shelf.entity, work.frees_much});
  }
}

// A step of which nothing has to be read: so it has its place in line, and few are in one turn. A
// deleted entity takes over what is left of its shelves.
void Reclaimer::FinishUnreadLater(const Work& work, Turn& turn) {
  context_.reads.ReadAfter(turn, Urgency::kBackground, [this, work](const StoreView&) -> Task {
    return [this, work](Turn& later) {
      EndStep(later);
      const bool is_shelf = work.kind == WorkKind::kUnreadShelf;
      if (is_shelf) busy_.erase({work.shelf.lane(), work.shelf.generation});
      const bool is_gone = is_shelf && context_.catalog.FindKnown(work.shelf.entity) == nullptr;
      if (!is_gone && !context_.open.is_closed()) FinishUnread(work, later);
    };
  });
}

void Reclaimer::ReclaimEntity(EntityId entity, Turn& turn) {
  Enter({WorkKind::kEntity, {entity, LaneKind::kMain}}, turn);
}

void Reclaimer::ReclaimShelf(const Shelf& shelf, Turn& turn) {
  busy_.emplace(shelf.lane(), shelf.generation);
  Enter({WorkKind::kShelf, shelf}, turn);
}

// A purge while this goes on only raises the floor.
void Reclaimer::ReclaimScheduled(EntityId entity, Turn& turn) {
  if (!schedules_.insert(entity).second) return;
  Enter({WorkKind::kScheduled, {entity, LaneKind::kMain}}, turn);
}

void Reclaimer::Enter(const Work& work, Turn& turn) {
  waiting_.push_back(work);
  BeginSteps(turn);
}

void Reclaimer::BeginSteps(Turn& turn) {
  while (steps_under_way_ < kStepsMax && !waiting_.empty()) {
    const Work work = waiting_.front();
    waiting_.pop_front();
    ++steps_under_way_;
    Read(work, turn);
  }
}

// What waits goes before the next step of the same work.
void Reclaimer::EndStep(Turn& turn) {
  --steps_under_way_;
  if (!context_.open.is_closed()) BeginSteps(turn);
}

void Reclaimer::Read(const Work& work, Turn& turn) {
  switch (work.kind) {
    case WorkKind::kEntity:
      return ReadEntityStep(work.shelf.entity, turn);
    case WorkKind::kShelf:
      return ReadShelfStep(work.shelf, turn);
    case WorkKind::kScheduled:
      return ReadScheduledStep(work.shelf.entity, turn);
    case WorkKind::kUnreadEntity:
    case WorkKind::kUnreadShelf:
      return FinishUnreadLater(work, turn);
  }
}

// First the messages, shelf by shelf, then the scheduled ones, then everything that names no body.
void Reclaimer::ReadEntityStep(EntityId entity, Turn& turn) {
  context_.reads.ReadAfter(
      turn, Urgency::kBackground, [this, entity](const StoreView& view) -> Task {
        Result<ShelfReclaimStep> step = ReadEntityReclaim(view, entity, kReclaimedPerStep);
        Result<ScheduledReclaimStep> scheduled = ScheduledReclaimStep();
        if (step.ok() && !*step)
          scheduled = ReadScheduledReclaim(view, entity, kEnd, kReclaimedPerStep);
        return [this, entity, step = std::move(step),
                scheduled = std::move(scheduled)](Turn& later) mutable {
          EndStep(later);
          if (context_.open.is_closed()) return;
          if (!step.ok()) return LogUnreadable(step.status());
          if (!scheduled.ok()) return LogUnreadable(scheduled.status());
          if (*step) {
            ++steps_[entity];
            later.changes.push_back(*std::move(*step));
          } else if (*scheduled) {
            later.changes.push_back(*std::move(*scheduled));
          } else {
            const bool frees_much = TakeFreesMuch(entity);
            later.changes.push_back(EntityReclaimFinished{entity, frees_much});
            return;
          }
          ReclaimEntity(entity, later);
        };
      });
}

// The entity may be deleted meanwhile; then its own reclaim takes this over.
void Reclaimer::ReadShelfStep(const Shelf& shelf, Turn& turn) {
  context_.reads.ReadAfter(
      turn, Urgency::kBackground, [this, shelf](const StoreView& view) -> Task {
        Result<ShelfReclaimStep> step = ReadShelfReclaim(view, shelf, kReclaimedPerStep);
        return [this, shelf, step = std::move(step)](Turn& later) mutable {
          EndStep(later);
          const bool is_gone = context_.catalog.FindKnown(shelf.entity) == nullptr;
          if (is_gone) busy_.erase({shelf.lane(), shelf.generation});
          if (is_gone || context_.open.is_closed()) return;
          if (!step.ok()) return LogUnreadable(step.status());
          if (*step) {
            ++steps_[shelf.entity];
            later.changes.push_back(*std::move(*step));
            return Enter({WorkKind::kShelf, shelf}, later);
          }
          busy_.erase({shelf.lane(), shelf.generation});
          const bool frees_much = TakeFreesMuch(shelf.entity);
          later.changes.push_back(ShelfReclaimFinished{shelf, frees_much});
        };
      });
}

// Few rows go with the compactions that come anyway.
bool Reclaimer::TakeFreesMuch(EntityId entity) {
  const auto steps = steps_.extract(entity);
  return !steps.empty() && steps.mapped() >= kStepsWorthCompacting;
}

void Reclaimer::ReadScheduledStep(EntityId entity, Turn& turn) {
  const SequenceNumber floor = FloorOf(entity);
  context_.reads.ReadAfter(
      turn, Urgency::kBackground, [this, entity, floor](const StoreView& view) -> Task {
        Result<ScheduledReclaimStep> step =
            ReadScheduledReclaim(view, entity, floor, kReclaimedPerStep);
        return [this, entity, floor, step = std::move(step)](Turn& later) mutable {
          EndStep(later);
          const bool is_gone = context_.catalog.FindKnown(entity) == nullptr;
          if (is_gone) schedules_.erase(entity);
          if (is_gone || context_.open.is_closed()) return;
          if (!step.ok()) return LogUnreadable(step.status());
          if (*step) later.changes.push_back(*std::move(*step));
          if (*step || floor != FloorOf(entity)) {
            return Enter({WorkKind::kScheduled, {entity, LaneKind::kMain}}, later);
          }
          schedules_.erase(entity);
          later.changes.push_back(ScheduledReclaimFinished{entity});
        };
      });
}

SequenceNumber Reclaimer::FloorOf(EntityId entity) const {
  const Queue* queue = context_.catalog.FindKnown(entity);
  return queue == nullptr ? SequenceNumber()
                          : queue->lane(LaneKind::kMain).counters().scheduled_floor;
}

Result<std::uint8_t> Reclaimer::NextGeneration(const Shelf& shelf) const {
  for (std::uint8_t ahead = 1; ahead < kShelfGenerations; ++ahead) {
    const auto next = static_cast<std::uint8_t>((shelf.generation + ahead) % kShelfGenerations);
    if (!busy_.contains({shelf.lane(), next})) return next;
  }
  return Status(ErrorCode::kServiceBusy,
                "the messages of earlier purges are still being reclaimed; try again later");
}

}  // namespace wharf
