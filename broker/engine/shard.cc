#include "broker/engine/shard.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <variant>

#include "broker/engine/turn/prompt_answer.h"
#include "broker/schema/change_encoder.h"
#include "storage/base/mutant.h"

namespace wharf {
namespace {

// The lowest that this shard owns: it owns all.
constexpr Bucket kTimeBucket = 0;

// Of the rows of a change, beside what it carries, about.
constexpr std::size_t kRowBytes = 80;

// About as many as the batch of a turn will have.
std::size_t BatchBytesOf(const Turn& turn) {
  return turn.bytes() - turn.changes.size() * kChangeBytes + turn.changes.size() * kRowBytes;
}

std::vector<const Queue*> QueuesOf(const Catalog& catalog) {
  const auto& queues = catalog.queues();
  return {queues.begin(), queues.end()};
}

// A turn that changes nothing, on its way to the log and back.
struct Look {
  std::unique_ptr<Turn> turn;
  // A shard that is closed has planned nothing, and says why itself.
  Status refused;
  PromptAnswer answer;

  const Status& committed() const { return refused.ok() ? answer.status() : refused; }
};

}  // namespace

Shard::Shard(const World& world, const ShardLimits& limits, BrokerImage image)
    : world_(world),
      limits_(limits),
      publisher_(world.publisher),
      admissions_(limits.admitted_weight_max),
      agenda_([this] { Wake(); }),
      workers_({world.clock, world.random, world.readers, world.disk, world.keys,
                world.check_event_logs, world.keeps_unknown_elements, world.keeps_replaced_keys},
               limits_, image, agenda_),
      resumed_(std::move(image)),
      counters_(QueuesOf(workers_.catalog)),
      traces_(world.tracer),
      event_logs_(workers_.catalog, resumed_.event_logs),
      watch_(world.now) {
  std::vector<Directory::Named> entities;
  for (const Queue* queue : workers_.catalog.queues()) {
    entities.push_back(
        {queue->name(), {queue->id(), queue->kind(), queue->settings().enable_partitioning}});
  }
  directory_.Load(entities);
  timed_.Name(limits_.timed_entities, workers_.catalog);
  namespace_watch_.Note(workers_.catalog.size());
  namespace_watch_.SetLimits(limits_.broker);
  PublishBook(std::make_shared<const access::Book>(workers_.access_rules.book()));
}

void Shard::SetLimits(const ShardLimits& limits) {
  limits_ = limits;
  timed_.Name(limits_.timed_entities, workers_.catalog);
  namespace_watch_.SetLimits(limits_.broker);
}

void Shard::PublishBook(std::shared_ptr<const access::Book> book) const {
  if (book == nullptr) return;
  if (world_.on_rules) world_.on_rules(book->size());
  if (world_.guard != nullptr) world_.guard->Publish(std::move(book));
}

Status Shard::Start() {
  Status started = workers_.Start(std::exchange(resumed_, {}));
  if (!started.ok()) {
    Close(started);
    return started;
  }
  RunTurn();
  return {};
}

void Shard::Wake() {
  world_.self.Post([this] { RunTurn(); });
}

void Shard::OnAlarm() {
  has_alarm_ = true;
  RunTurn();
}

bool Shard::may_plan() const {
  return !ended_ && turns_in_flight_ < limits_.turns_in_flight_max &&
         bytes_in_flight_ < limits_.bytes_in_flight_max;
}

// While as much as may be is on its way to the disk, requests gather; the turn that comes back runs
// the next one.
void Shard::RunTurn() {
  if (!may_plan()) return;
  const TurnWatch::Work at_work(watch_);
  has_alarm_ = false;
  auto turn = std::make_unique<Turn>(world_.clock.Now(), &workers_.topics.work());
  turn->began = at_work.began();
  turn->tracer = world_.tracer;
  turn->keeps_actors = event_logs_.is_on();
  workers_.touched.Begin();
  if (!workers_.open.is_closed()) workers_.registrations.PlanDue(*turn);
  agenda_.PlanTasks(limits_.turn_weight_max, *turn);
  TouchArrived();
  if (!workers_.open.is_closed()) workers_.forwarder.Plan(workers_.touched.lanes(), *turn);
  MatchTouched(*turn);
  if (!workers_.open.is_closed()) workers_.fences.Plan(workers_.touched.lanes(), *turn);
  TouchWoken({});
  WriteCounters(*turn);
  PlanAwaitingDue(*turn);
  workers_.shared_bodies.Plan(*turn);
  event_logs_.Record(*turn);
  workers_.catalog.RestIdle(turn->now);
  if (!turn->is_empty()) Commit(std::move(turn));
  SetAlarm();
  if (has_more()) Wake();
}

void Shard::PlanAwaitingDue(Turn& turn) {
  if (!agenda_.awaits_due()) return;
  const bool has_due = !workers_.open.is_closed() && workers_.registrations.HasDue(turn.now);
  if (!has_due) agenda_.PlanAwaitingDue(turn);
}

void Shard::TouchArrived() {
  std::vector<LaneId> arrived;
  for (const LaneId lane : workers_.touched.lanes()) {
    Topic* topic = workers_.topics.Find(lane.entity);
    if (topic == nullptr) continue;
    const std::vector<LaneId> copies = topic->TakeArrived();
    arrived.insert(arrived.end(), copies.begin(), copies.end());
  }
  for (const LaneId lane : arrived) workers_.touched.Touch(lane);
}

void Shard::MatchTouched(Turn& turn) {
  TouchArrived();
  workers_.touched.BeginMatching();
  for (const LaneId lane : workers_.touched.lanes()) {
    Queue* queue = workers_.catalog.Find(lane.entity);
    if (queue != nullptr) MatchLane(*queue, lane, turn);
  }
  workers_.touched.EndMatching();
  TouchWoken({});
  workers_.windows.Bound();
}

// Receivers elsewhere that may lock more, because their connection holds less.
void Shard::TouchWoken(LaneId but) {
  for (const LaneId woken : workers_.dispatcher.TakeWoken()) {
    if (woken != but) workers_.touched.TouchLater(woken);
  }
}

void Shard::MatchLane(Queue& queue, LaneId lane, Turn& turn) {
  Lane& part = queue.lane(lane.kind);
  workers_.dispatcher.NoteFreed(lane, part.TakeFreedHolders(), turn);
  TouchWoken(lane);
  const bool has_more = part.sessions() == nullptr
                            ? workers_.dispatcher.Match(queue, {lane}, {lane.kind}, turn)
                            : workers_.sessions.Match(queue, turn);
  if (has_more) workers_.touched.TouchLater(lane);
  workers_.dispatcher.FinishLeaving(queue, lane.kind, turn);
  if (queue.lane(LaneKind::kDeadLetter).TakeArrived() && lane.kind == LaneKind::kMain) {
    workers_.touched.TouchLater({lane.entity, LaneKind::kDeadLetter});
  }
  if (workers_.forwarder.IsLeft(queue, lane.kind)) workers_.touched.TouchLater(lane);
  const bool is_wanted =
      workers_.dispatcher.IsWanted(lane) || workers_.forwarder.IsWanted(queue, lane.kind);
  workers_.windows.Refill(queue, lane, is_wanted, turn);
  workers_.windows.NoteMemory(lane, part.window_memory());
  workers_.lock_expiry.NoteDeadline(part);
}

// Counters are part of the commit that changes them.
void Shard::WriteCounters(Turn& turn) {
  const TouchedLanes::Lanes lanes = workers_.touched.TakeForCounters();
  audit_.Assert(turn.changes, lanes, workers_.catalog);
  absl::btree_set<EntityId> entities;
  for (const LaneId lane : lanes) entities.insert(lane.entity);
  for (const EntityId entity : entities) {
    Queue* queue = workers_.catalog.Find(entity);
    if (queue == nullptr) continue;
    counters_.NoteOldest(entity, queue->lane(LaneKind::kMain).oldest());
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
                              std::holds_alternative<SharedBodyReleased>(change) ||
                              std::holds_alternative<EventsLogged>(change) ||
                              std::holds_alternative<EventsDropped>(change);
                     });
}

// Every answer waits for the commit of its turn and of those before it.
void Shard::Commit(std::unique_ptr<Turn> turn) {
  assert(IsCounted(*turn));
  if (world_.listener != nullptr) world_.listener->OnChanges(turn->changes);
  WriteBatch batch;
  batch.Reserve(BatchBytesOf(*turn));
  Encode(turn->changes, batch);
  for (const Change& change : turn->changes) {
    workers_.sweeper.Note(DueTimeOf(change));
  }
  if (!batch.empty() || turn->keeps_time) EncodeCommitTime(kTimeBucket, turn->now, batch);
  turn->times->appended = SteadyNow();
  if (kMutant == Mutant::kPublishBeforeCommit) Publish(*turn, Status::Ok());
  ++turns_in_flight_;
  if (batch.empty()) return Confirm(std::move(turn));
  Append(std::move(turn), std::move(batch));
}

void Shard::Append(std::unique_ptr<Turn> turn, WriteBatch batch) {
  turn->batch_bytes = batch.bytes().size();
  bytes_in_flight_ += turn->batch_bytes;
  if (world_.disk != nullptr) world_.disk->NotePlanned(turn->batch_bytes);
  world_.log.Append(std::move(batch),
                    [this, turn = std::move(turn)](const Result<CommitIndex>& committed) mutable {
                      PostCommitted(std::move(turn), committed.status());
                    });
}

// A log that knows at once what it is asked answers inside the call; then the turn is published
// here, or behind those that wait for the shard's thread already.
void Shard::Confirm(std::unique_ptr<Turn> turn) {
  const auto look = std::make_shared<Look>();
  look->turn = std::move(turn);
  look->refused = workers_.open.Check();
  world_.log.Confirm([this, look](const Result<CommitIndex>& confirmed) {
    if (look->answer.Give(confirmed.status())) {
      PostCommitted(std::move(look->turn), look->committed());
    }
  });
  if (!look->answer.IsThere()) return;
  turn = std::move(look->turn);
  if (turns_in_flight_ == 1) return Conclude(*turn, look->committed());
  PostCommitted(std::move(turn), look->committed());
}

// From any thread.
void Shard::PostCommitted(std::unique_ptr<Turn> turn, const Status& committed) {
  turn->times->committed = SteadyNow();
  world_.self.Post([this, turn = std::move(turn), committed] { OnCommitted(*turn, committed); });
}

void Shard::OnCommitted(Turn& turn, const Status& committed) {
  Conclude(turn, committed);
  if (has_alarm_ || has_more()) RunTurn();
}

void Shard::Conclude(Turn& turn, const Status& committed) {
  if (turn.times->committed == Duration(0)) turn.times->committed = SteadyNow();
  --turns_in_flight_;
  bytes_in_flight_ -= turn.batch_bytes;
  // Memory now says more than the store: nothing may be planned against it any more.
  if (!committed.ok()) Close(committed);
  if (committed.ok() && counters_.Count(turn, world_.now() - turn.began)) {
    directory_.Publish(turn.changes);
    timed_.NoteChanges(turn.changes, workers_.catalog);
  }
  if (committed.ok()) namespace_watch_.Note(workers_.catalog.size());
  if (committed.ok()) traces_.OnCommitted(turn, world_.clock);
  if (committed.ok()) PublishBook(std::move(turn.access_book));
  // What was not written is not on its way to the disk any more either.
  if (world_.disk != nullptr) world_.disk->NoteWritten(turn.batch_bytes);
  Publish(turn, committed);
  if (ended_ && turns_in_flight_ == 0) ended_();
}

void Shard::Publish(Turn& turn, const Status& committed) {
  publisher_.Publish(turn.Publish(committed));
}

void Shard::Close(const Status& reason) {
  if (workers_.open.is_closed()) return;
  workers_.open.Close(reason);
  agenda_.Post([this, reason](Turn& turn) {
    workers_.dispatcher.DetachEveryone(reason, turn);
    workers_.sessions.RefuseAll(reason, turn);
    workers_.closed_waits.EndAll(reason, turn);
  });
}

void Shard::End(std::function<void()> ended) {
  ended_ = std::move(ended);
  if (turns_in_flight_ == 0) ended_();
}

// A closed shard has nothing to wake up for: what is due cannot be planned any more.
void Shard::SetAlarm() {
  world_.alarm.Set(workers_.open.is_closed() ? kNever : workers_.registrations.next_deadline());
}

}  // namespace wharf
