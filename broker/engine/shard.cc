#include "broker/engine/shard.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <variant>

#include "broker/schema/change_encoder.h"
#include "storage/base/mutant.h"

namespace wharf {

Shard::Shard(const World& world, const ShardLimits& limits, BrokerImage image)
    : world_(world),
      limits_(limits),
      admissions_(limits.admitted_weight_max),
      catalog_(std::move(image.catalog), limits_.broker, world.random),
      topics_(catalog_, limits.rules, world.random),
      reads_(world.readers, *this),
      context_{catalog_, touched_, reads_, open_},
      finder_(catalog_, open_),
      disk_(world.disk),
      moves_(*this),
      loose_bodies_(world.random, std::move(image.loose_bodies)),
      sends_(context_),
      windows_(context_, limits.windows_bytes_max),
      dispatcher_(
          touched_, {limits.receivers_per_lane_max, limits.locked_per_connection_max},
          [this](LaneId lane, std::vector<LockToken> tokens) {
            Post([this, lane, tokens = std::move(tokens)](Turn& turn) {
              lock_expiry_.ReleaseUnheard(lane, tokens, turn);
            });
          },
          [this](const Receiver& receiver, Timestamp now) { NoteLeft(receiver, now); },
          [this](const BodyRef& body) {
            Post([body](Turn& turn) { LooseBodies::Drop(body, turn); });
          }),
      desk_(context_, finder_, *this, dispatcher_, moves_, world.clock),
      lock_expiry_(context_, moves_, desk_),
      reclaimer_(context_),
      entities_(context_, finder_, topics_, reclaimer_, registrations_),
      forwarder_(context_, sends_, disk_),
      sweeper_(context_, image.due_handled_until),
      idle_(context_, topics_, {&dispatcher_, &desk_}, entities_),
      jobs_(context_, finder_, topics_, disk_, world.random,
            {std::move(image.jobs), image.next_job_id}),
      shared_bodies_(context_),
      transactions_(context_, finder_, moves_, disk_, world.random, limits_.transactions),
      resumed_(std::move(image)),
      counters_(catalog_.queues().size()) {
  RegisterWorkers();
  std::vector<const EntityRecord*> records;
  for (const Queue* queue : catalog_.queues()) records.push_back(&queue->record());
  directory_.Load(records);
}

// Locks end first: what comes back may be delivered, and a session given to another, in this turn.
void Shard::RegisterWorkers() {
  registrations_.Add(lock_expiry_);
  registrations_.Add(dispatcher_);
  registrations_.Add(desk_);
  registrations_.Add(windows_);
  registrations_.Add(sweeper_);
  registrations_.Add(idle_);
  registrations_.Add(jobs_);
  registrations_.Add(transactions_);
  registrations_.Add(forwarder_);
  registrations_.Add(reclaimer_);
  windows_.AddUser(dispatcher_);
  windows_.AddUser(forwarder_);
}

Status Shard::Start() {
  if (Status damaged = topics_.Load(resumed_.rules); !damaged.ok()) {
    Close(damaged);
    return damaged;
  }
  for (Queue* queue : catalog_.queues()) {
    for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
      lock_expiry_.NoteDeadline(queue->lane(kind));
    }
    forwarder_.Start(*queue);
    const SessionBook* sessions = queue->lane(LaneKind::kMain).sessions();
    const bool has_expired = sessions != nullptr && sessions->has_expired();
    if (has_expired) touched_.TouchLater(queue->lane(LaneKind::kMain).id());
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
  touched_.Begin();
  if (!open_.is_closed()) registrations_.PlanDue(*turn);
  PlanTasks(*turn);
  TouchArrived();
  if (!open_.is_closed()) forwarder_.Plan(touched_.lanes(), *turn);
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

bool Shard::has_more() const { return !taken_.empty() || !inbox_.empty() || touched_.has_next(); }

void Shard::PlanAwaitingDue(Turn& turn) {
  if (awaiting_due_.empty() || (!open_.is_closed() && registrations_.HasDue(turn.now))) return;
  for (Task& task : std::exchange(awaiting_due_, {})) std::move(task)(turn);
}

void Shard::TouchArrived() {
  std::vector<LaneId> arrived;
  for (const LaneId lane : touched_.lanes()) {
    Topic* topic = topics_.Find(lane.entity);
    if (topic == nullptr) continue;
    const std::vector<LaneId> copies = topic->TakeArrived();
    arrived.insert(arrived.end(), copies.begin(), copies.end());
  }
  for (const LaneId lane : arrived) touched_.Touch(lane);
}

void Shard::MatchTouched(Turn& turn) {
  TouchArrived();
  touched_.BeginMatching();
  for (const LaneId lane : touched_.lanes()) {
    Queue* queue = catalog_.Find(lane.entity);
    if (queue != nullptr) MatchLane(*queue, lane, turn);
  }
  touched_.EndMatching();
  TouchWoken({});
  windows_.Bound();
}

// Receivers elsewhere that may lock more, because their connection holds less.
void Shard::TouchWoken(LaneId but) {
  for (const LaneId woken : dispatcher_.TakeWoken()) {
    if (woken != but) touched_.TouchLater(woken);
  }
}

void Shard::MatchLane(Queue& queue, LaneId lane, Turn& turn) {
  Lane& part = queue.lane(lane.kind);
  dispatcher_.NoteFreed(lane, part.TakeFreedHolders());
  TouchWoken(lane);
  const bool has_more = part.sessions() == nullptr
                            ? dispatcher_.Match(queue, {lane}, {lane.kind}, turn)
                            : desk_.Match(queue, turn);
  if (has_more) touched_.TouchLater(lane);
  dispatcher_.FinishLeaving(queue, lane.kind, turn);
  if (queue.lane(LaneKind::kDeadLetter).TakeArrived() && lane.kind == LaneKind::kMain) {
    touched_.TouchLater({lane.entity, LaneKind::kDeadLetter});
  }
  if (forwarder_.IsLeft(queue, lane.kind)) touched_.TouchLater(lane);
  const bool is_wanted = dispatcher_.IsWanted(lane) || forwarder_.IsWanted(queue, lane.kind);
  windows_.Refill(queue, lane, is_wanted, turn);
  windows_.NoteBytes(lane, part.window_bytes());
  lock_expiry_.NoteDeadline(part);
}

// What it held of sessions comes back in a later turn.
void Shard::NoteLeft(const Receiver& receiver, Timestamp now) {
  desk_.NoteLeft(receiver);
  Queue* queue = catalog_.Find(receiver.options().lane.entity);
  if (queue == nullptr) return;
  // A stream that has no credit left is not in use (ADI-9).
  if (receiver.has_credit()) queue->NoteActivity(now);
}

// Counters are part of the commit that changes them.
void Shard::WriteCounters(Turn& turn) {
  absl::btree_set<EntityId> entities;
  for (const LaneId lane : touched_.TakeForCounters()) entities.insert(lane.entity);
  for (const EntityId entity : entities) {
    Queue* queue = catalog_.Find(entity);
    if (queue == nullptr) continue;
    for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
      Lane& lane = queue->lane(kind);
      if (!lane.TakeCountersChanged()) continue;
      turn.changes.push_back(CountersChanged{lane.id(), lane.counters()});
    }
  }
  turn.counted = turn.changes.size();
}

// What comes behind the counters has no part in them, or the store would know less than memory.
bool Shard::IsCounted(const Turn& turn) {
  return std::all_of(turn.changes.begin() + static_cast<std::ptrdiff_t>(turn.counted),
                     turn.changes.end(), [](const Change& change) {
                       return std::holds_alternative<SharedBodyDropped>(change) ||
                              std::holds_alternative<SharedBodyReleased>(change);
                     });
}

// Every answer waits for the commit of its turn and of those before it; if none is under way and
// nothing changed, it leaves at once.
void Shard::Commit(std::unique_ptr<Turn> turn) {
  assert(IsCounted(*turn));
  if (world_.listener != nullptr) world_.listener->OnChanges(turn->changes);
  if (turn->changes.empty() && !turn->keeps_time && turns_in_flight_ == 0) {
    counters_.Count(turn->changes);
    turn->Publish(open_.Check());
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
  if (!committed.ok()) Close(committed);
  if (committed.ok()) {
    if (counters_.Count(turn.changes)) directory_.Publish(turn.changes);
    if (world_.garbage != nullptr) world_.garbage->NoteCommitted(turn.now);
    if (world_.disk != nullptr) world_.disk->NoteWritten(turn.batch_bytes);
  }
  turn.Publish(committed);
  if (has_alarm_ || has_more()) RunTurn();
}

void Shard::Close(const Status& reason) {
  if (open_.is_closed()) return;
  open_.Close(reason);
  Post([this, reason](Turn& turn) {
    dispatcher_.DetachEveryone(reason, turn);
    desk_.RefuseAll(reason, turn);
  });
}

void Shard::DropOrphans(Turn& turn) {
  loose_bodies_.DropOrphans(turn);
  if (loose_bodies_.has_orphans()) Post([this](Turn& later) { DropOrphans(later); });
}

// A closed shard has nothing to wake up for: what is due cannot be planned any more.
void Shard::SetAlarm() {
  world_.alarm.Set(open_.is_closed() ? kNever : registrations_.next_deadline());
}

}  // namespace wharf
