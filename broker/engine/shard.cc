#include "broker/engine/shard.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "broker/schema/change_encoder.h"
#include "storage/base/mutant.h"

namespace wharf {
namespace {

// Of a lock token as it waits in the inbox, about.
constexpr std::size_t kTokenBytes = 64;

Status Busy() {
  return {ErrorCode::kServiceBusy, "the broker has more requests waiting than it can take"};
}

}  // namespace

Shard::Shard(const World& world, const ShardLimits& limits, BrokerImage image)
    : world_(world),
      limits_(limits),
      catalog_(std::move(image.catalog), limits_.broker, world.random),
      topics_(catalog_, limits.rules, world.random),
      dispatcher_(
          {limits.receivers_per_lane_max, limits.locked_per_connection_max},
          [this](LaneId lane, std::vector<LockToken> tokens) {
            Post([this, lane, tokens = std::move(tokens)](Turn& turn) {
              ReleaseUnheard(lane, tokens, turn);
            });
          },
          [this](const Receiver& receiver, Timestamp now) { NoteLeft(receiver, now); },
          [this](const BodyRef& body) {
            Post([body](Turn& turn) { LooseBodies::Drop(body, turn); });
          }),
      inbox_(limits.inbox_weight_max),
      moves_([this](Task task) { Post(std::move(task)); }),
      loose_bodies_(world.random, std::move(image.loose_bodies)),
      sends_(*this),
      shared_bodies_(*this),
      reclaimer_(*this),
      sweeper_(*this, image.due_handled_until),
      idle_(*this),
      forwarder_(*this),
      jobs_(*this, std::move(image.jobs), image.next_job_id),
      desk_(*this),
      transactions_(*this, world.random, limits_.transactions),
      resumed_(std::move(image)),
      counters_(catalog_.queues().size()) {}

Status Shard::Start() {
  if (Status damaged = topics_.Load(resumed_.rules); !damaged.ok()) {
    Close(damaged);
    return damaged;
  }
  for (Queue* queue : catalog_.queues()) {
    for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
      UpdateDeadline(queue->lane(kind).id(), queue->lane(kind).next_deadline());
    }
    forwarder_.Start(*queue);
    const SessionBook* sessions = queue->lane(LaneKind::kMain).sessions();
    const bool has_expired = sessions != nullptr && sessions->has_expired();
    if (has_expired) touched_next_.insert(queue->lane(LaneKind::kMain).id());
  }
  idle_.Start(world_.clock.Now(), resumed_.last_committed);
  Post([this](Turn& turn) { Resume(std::exchange(resumed_, {}), turn); });
  if (loose_bodies_.has_orphans()) Post([this](Turn& turn) { DropOrphans(turn); });
  RunTurn();
  return {};
}

void Shard::Resume(const BrokerImage& image, Turn& turn) {
  for (const EntityId entity : image.entities_to_reclaim) reclaimer_.ReclaimEntity(entity, turn);
  for (const Shelf& shelf : image.shelves_to_reclaim) reclaimer_.ReclaimShelf(shelf, turn);
  for (const EntityId entity : image.schedules_to_reclaim) {
    reclaimer_.ReclaimScheduled(entity, turn);
  }
  shared_bodies_.Start(image.released_bodies, turn);
  jobs_.Start(turn);
  transactions_.Start(image.open_transactions, turn);
}

Status Shard::Reserve(std::size_t weight) {
  if (inbox_.Reserve(weight)) return {};
  return Busy();
}

std::size_t Shard::WeightOfTokens(std::size_t tokens) { return WeightOf(tokens * kTokenBytes); }

Status Shard::ReserveTokens(std::size_t tokens) {
  if (inbox_.Reserve(WeightOfTokens(tokens), Inbox::Share::kSettling)) return {};
  return Busy();
}

void Shard::Post(Task task, std::size_t weight) {
  if (inbox_.Push(std::move(task), weight)) Wake();
}

void Shard::Wake() {
  world_.self.Post([this] { RunTurn(); });
}

void Shard::OnAlarm() {
  has_alarm_ = true;
  RunTurn();
}

// While as many turns as may be are on their way to the disk, requests gather; the turn that comes
// back runs the next one.
void Shard::RunTurn() {
  if (turns_in_flight_ >= limits_.turns_in_flight_max) return;
  has_alarm_ = false;
  auto turn = std::make_unique<Turn>(world_.clock.Now());
  touched_ = std::exchange(touched_next_, {});
  if (!closed_) PlanDue(*turn);
  PlanTasks(*turn);
  TouchArrived();
  if (!closed_) forwarder_.Plan(touched_, *turn);
  MatchTouched(*turn);
  WriteCounters(*turn);
  PlanAwaitingDue(*turn);
  shared_bodies_.Plan(*turn);
  if (!turn->is_empty()) Commit(std::move(turn));
  SetAlarm();
  if (has_more()) Wake();
}

// What a request weighs is not what it makes: one message to a topic has many copies.
void Shard::PlanTasks(Turn& turn) {
  if (taken_.empty()) {
    for (Task& task : inbox_.Take(limits_.turn_weight_max)) taken_.push_back(std::move(task));
  }
  while (!taken_.empty() && !turn.is_full()) {
    Task task = std::move(taken_.front());
    taken_.pop_front();
    std::move(task)(turn);
  }
}

bool Shard::has_more() const {
  return !taken_.empty() || !inbox_.empty() || !touched_next_.empty();
}

void Shard::Touch(LaneId lane) { (is_matching_ ? touched_next_ : touched_).insert(lane); }

// What a long stop left is due all at once; what does not fit into this turn is due in the next.
void Shard::PlanDue(Turn& turn) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= turn.now && !turn.is_full()) {
    const LaneId lane = deadlines_.begin()->second;
    UpdateDeadline(lane, kNever);
    ExpireLocks(lane, turn);
    desk_.ExpireDue(lane, turn);
  }
  for (const LaneId lane : dispatcher_.TakeDueLanes(turn.now)) Touch(lane);
  for (const LaneId lane : desk_.TakeDueLanes(turn.now)) Touch(lane);
  sweeper_.Plan(turn);
  idle_.Plan(turn);
  jobs_.Plan(turn);
  transactions_.Plan(turn);
  forwarder_.WakeDue(turn.now);
}

// What is due, or was and is on its way.
bool Shard::HasDue(Timestamp now) const {
  return expiries_under_way_ > 0 || desk_.is_busy() || sweeper_.has_due(now) ||
         forwarder_.is_busy() || forwarder_.next_deadline() <= now ||
         idle_.next_deadline() <= now || dispatcher_.next_deadline() <= now ||
         desk_.next_deadline() <= now || transactions_.next_deadline() <= now ||
         (!deadlines_.empty() && deadlines_.begin()->first <= now);
}

void Shard::PlanAwaitingDue(Turn& turn) {
  if (awaiting_due_.empty() || (!closed_ && HasDue(turn.now))) return;
  for (Task& task : std::exchange(awaiting_due_, {})) std::move(task)(turn);
}

void Shard::TouchArrived() {
  std::vector<LaneId> arrived;
  for (const LaneId lane : touched_) {
    Topic* topic = topics_.Find(lane.entity);
    if (topic == nullptr) continue;
    const std::vector<LaneId> copies = topic->TakeArrived();
    arrived.insert(arrived.end(), copies.begin(), copies.end());
  }
  touched_.insert(arrived.begin(), arrived.end());
}

void Shard::MatchTouched(Turn& turn) {
  TouchArrived();
  is_matching_ = true;
  for (const LaneId lane : touched_) {
    Queue* queue = catalog_.Find(lane.entity);
    if (queue == nullptr) {
      UpdateDeadline(lane, kNever);
      windows_bytes_ -= std::exchange(window_bytes_[lane], 0);
      window_bytes_.erase(lane);
    } else {
      MatchLane(*queue, lane, turn);
    }
  }
  is_matching_ = false;
  TouchWoken({});
  BoundWindows();
}

// Receivers elsewhere that may lock more, because their connection holds less.
void Shard::TouchWoken(LaneId but) {
  for (const LaneId woken : dispatcher_.TakeWoken()) {
    if (woken != but) touched_next_.insert(woken);
  }
}

void Shard::MatchLane(Queue& queue, LaneId lane, Turn& turn) {
  Lane& part = queue.lane(lane.kind);
  dispatcher_.NoteFreed(lane, part.TakeFreedHolders());
  TouchWoken(lane);
  const bool has_more = part.sessions() == nullptr
                            ? dispatcher_.Match(queue, {lane}, {lane.kind}, turn)
                            : desk_.Match(queue, turn);
  if (has_more) touched_next_.insert(lane);
  dispatcher_.FinishLeaving(queue, lane.kind, turn);
  if (queue.lane(LaneKind::kDeadLetter).TakeArrived() && lane.kind == LaneKind::kMain) {
    touched_next_.insert({lane.entity, LaneKind::kDeadLetter});
  }
  if (forwarder_.IsLeft(queue, lane.kind)) touched_next_.insert(lane);
  const bool is_wanted = dispatcher_.IsWanted(lane) || forwarder_.IsWanted(queue, lane.kind);
  RefillWindow(queue, lane, is_wanted, turn);
  if (is_wanted) RefillTracks(queue, lane, turn);
  UpdateDeadline(lane, part.next_deadline());
  std::size_t& bytes = window_bytes_[lane];
  windows_bytes_ += part.window_bytes() - bytes;
  bytes = part.window_bytes();
  if (bytes == 0) window_bytes_.erase(lane);
}

void Shard::RefillWindow(Queue& queue, LaneId lane, bool is_wanted, Turn& turn) {
  std::optional<WindowRead> read = queue.lane(lane.kind).NextRead(is_wanted);
  if (!read) return;
  const Shelf shelf = queue.lane(lane.kind).shelf();
  ReadAfter(turn, [this, lane, shelf, read = *std::move(read)](const StoreView& view) -> Task {
    Result<WindowBatch> batch = ReadWindow(view, shelf, read);
    return [this, lane, shelf, batch = std::move(batch)](Turn& later) mutable {
      Queue* reading = catalog_.Find(lane.entity);
      if (reading == nullptr) return;
      if (reading->lane(lane.kind).shelf() != shelf) batch = WindowBatch(ContentBatch{});
      if (batch.ok()) {
        reading->lane(lane.kind).TakeRead(*std::move(batch));
        Touch(lane);
        return;
      }
      // What cannot be read is never served; its receivers hear why.
      spdlog::error("messages of '{}' cannot be read: {}", reading->description().name,
                    batch.status().message());
      reading->lane(lane.kind).TakeRead(ContentBatch{});
      dispatcher_.DetachAll(lane.entity, batch.status(), later);
      forwarder_.NoteUnreadable(lane, later.now);
    };
  });
}

void Shard::BoundWindows() {
  if (windows_bytes_ <= limits_.windows_bytes_max) return;
  for (auto it = window_bytes_.begin(); it != window_bytes_.end();) {
    Queue* queue = catalog_.Find(it->first.entity);
    const auto current = it++;
    const bool is_wanted =
        dispatcher_.IsWanted(current->first) || forwarder_.NeedsWindow(current->first);
    if (queue == nullptr || is_wanted) continue;
    queue->lane(current->first.kind).DropWindow();
    windows_bytes_ -= current->second;
    window_bytes_.erase(current);
  }
}

// Counters are part of the commit that changes them.
void Shard::WriteCounters(Turn& turn) {
  absl::btree_set<EntityId> entities;
  for (const LaneId lane : touched_) entities.insert(lane.entity);
  for (const EntityId entity : entities) {
    Queue* queue = catalog_.Find(entity);
    if (queue == nullptr) continue;
    for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
      Lane& lane = queue->lane(kind);
      if (!lane.TakeCountersChanged()) continue;
      turn.changes.push_back(CountersChanged{lane.id(), lane.counters()});
    }
  }
  touched_.clear();
}

// Every answer waits for the commit of its turn and of those before it; if none is under way and
// nothing changed, it leaves at once.
void Shard::Commit(std::unique_ptr<Turn> turn) {
  if (world_.listener != nullptr) world_.listener->OnChanges(turn->changes);
  if (turn->changes.empty() && !turn->keeps_time && turns_in_flight_ == 0) {
    counters_.Count(turn->changes);
    turn->Publish(closed_.value_or(Status::Ok()));
    return;
  }
  WriteBatch batch;
  Encode(turn->changes, batch);
  for (const Change& change : turn->changes) {
    if (const Timestamp due = DueTimeOf(change); due != kNever) sweeper_.Note(due);
  }
  if (!batch.empty() || turn->keeps_time) EncodeCommitTime(turn->now, batch);
  if (kMutant == Mutant::kPublishBeforeCommit) turn->Publish(Status::Ok());
  ++turns_in_flight_;
  turn->batch_bytes = batch.bytes().size();
  if (world_.disk != nullptr) world_.disk->NotePlanned(turn->batch_bytes);
  world_.log.Append(std::move(batch),
                    [this, turn = std::move(turn)](const Result<CommitIndex>& committed) mutable {
                      world_.self.Post([this, turn = std::move(turn), status = committed.status()] {
                        OnCommitted(*turn, status);
                      });
                    });
}

void Shard::OnCommitted(Turn& turn, const Status& committed) {
  --turns_in_flight_;
  // Memory now says more than the store: nothing may be planned against it any more.
  if (!committed.ok() && !closed_) Close(committed);
  if (committed.ok()) {
    counters_.Count(turn.changes);
    if (world_.garbage != nullptr) world_.garbage->NoteCommitted(turn.now);
    if (world_.disk != nullptr) world_.disk->NoteWritten(turn.batch_bytes);
  }
  turn.Publish(committed);
  if (has_alarm_ || has_more()) RunTurn();
}

void Shard::Close(const Status& reason) {
  if (closed_) return;
  closed_ = Status(reason.code(), reason.message());
  Post([this, reason](Turn& turn) {
    dispatcher_.DetachEveryone(reason, turn);
    desk_.RefuseAll(reason, turn);
  });
}

// Also after a failed commit: whoever waits for the read is then told so when it plans.
void Shard::ReadAfter(Turn& turn, ReadWork work) {
  turn.OnPublish([this, work = std::move(work)](const Status&) mutable {
    world_.readers.Post([this, work = std::move(work)]() mutable {
      const auto view = world_.store.View();
      Post(work(*view));
    });
  });
}

void Shard::GiveBackAfter(Turn& turn, std::vector<TableRange> space) {
  turn.OnPublish([this, space = std::move(space)](const Status& committed) mutable {
    if (!committed.ok()) return;
    Executor& lazy = world_.lazy == nullptr ? world_.readers : *world_.lazy;
    lazy.Post([this, space = std::move(space)] {
      for (const TableRange& each : space) {
        const Status status = world_.store.GiveBackSpace(each.table, each.range);
        if (!status.ok()) spdlog::error("{}", status.message());
      }
    });
  });
}

void Shard::DropOrphans(Turn& turn) {
  loose_bodies_.DropOrphans(turn);
  if (loose_bodies_.has_orphans()) Post([this](Turn& later) { DropOrphans(later); });
}

// A closed shard has nothing to wake up for: what is due cannot be planned any more.
void Shard::SetAlarm() {
  if (closed_) return world_.alarm.Set(kNever);
  Timestamp next = dispatcher_.next_deadline();
  if (!deadlines_.empty()) next = std::min(next, deadlines_.begin()->first);
  next =
      std::min({next, sweeper_.next_deadline(), idle_.next_deadline(), jobs_.next_deadline(),
                desk_.next_deadline(), transactions_.next_deadline(), forwarder_.next_deadline()});
  world_.alarm.Set(next);
}

}  // namespace wharf
