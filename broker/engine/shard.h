// Shard: one thread's worth of entities; plans, commits and publishes in turns.
//
// A turn takes everything that is waiting, plans it against memory, appends the changes as one
// batch, and when that is durable publishes: deliveries leave, callers are answered. The next turn
// is planned while the batch is on its way to the disk. The shard has no thread of its own and
// never waits: it is run by an Executor, told the time by a Clock, and asks an Alarm to be called
// again. Everything here happens on the executor's thread, but for Reserve, Post and statistics.
//
//   shard.cc           turns: plan, match, commit, publish
//   shard_entities.cc  queues by their names, created, changed, deleted, purged
//   shard_locks.cc     how locks end
//   shard_tracks.cc    what is read for the tracks of a lane
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "broker/core/catalog.h"
#include "broker/engine/dispatcher.h"
#include "broker/engine/due_sweeper.h"
#include "broker/engine/entity_log.h"
#include "broker/engine/executor.h"
#include "broker/engine/forwarder.h"
#include "broker/engine/idle_watch.h"
#include "broker/engine/inbox.h"
#include "broker/engine/job_runner.h"
#include "broker/engine/loose_bodies.h"
#include "broker/engine/move_line.h"
#include "broker/engine/reclaimer.h"
#include "broker/engine/send_line.h"
#include "broker/engine/session_desk.h"
#include "broker/engine/shard_counters.h"
#include "broker/engine/shared_bodies.h"
#include "broker/engine/transactions.h"
#include "broker/engine/turn.h"
#include "broker/schema/garbage.h"
#include "broker/schema/loader.h"
#include "broker/schema/page_filter.h"
#include "broker/schema/reader.h"
#include "broker/topics/topics.h"
#include "storage/base/clock.h"
#include "storage/base/random.h"
#include "storage/commit_log.h"
#include "storage/disk_gate.h"
#include "storage/store.h"

namespace wharf {

// Hears of every change when it is planned; the transcript of a test.
class ChangeListener {
 public:
  virtual ~ChangeListener() = default;
  virtual void OnChanges(const Changes& changes) = 0;
};

// Says what an entity shall be, from what it is; or why not. Called on the shard's thread.
using EntityEdit = absl::AnyInvocable<Result<QueueDescription>(const EntityRecord& current) &&>;

// Calls the shard's OnAlarm when a time has come; only the last time asked for counts.
class Alarm {
 public:
  virtual ~Alarm() = default;
  virtual void Set(Timestamp time) = 0;
};

struct ShardLimits {
  BrokerLimits broker;
  // Of one topic.
  RuleLimits rules{};
  // Of an entity and its dead-letter queue, each (QUO-7).
  std::size_t receivers_per_lane_max = 5000;
  // Messages that one connection may have locked, over all its receivers and calls.
  std::size_t locked_per_connection_max = 45000;
  // What may wait to be planned, messages and requests of another kind, each 4 KiB of them (see
  // inbox.h); more hear ServiceBusy. 256 MiB of full ones.
  std::size_t inbox_weight_max = 65536;
  TransactionLimits transactions{};
  // What one turn plans of it.
  std::size_t turn_weight_max = 4096;
  // Turns planned and not yet committed.
  std::size_t turns_in_flight_max = 8;
  // Memory for the windows of all lanes; beyond it those that nobody waits on are dropped.
  std::size_t windows_bytes_max = 64 * 1024 * 1024;
};

class Shard {
 public:
  struct World {
    Clock& clock;
    Random& random;
    const Store& store;
    CommitLog& log;
    Executor& self;     // One thread: the shard's.
    Executor& readers;  // Any threads.
    Alarm& alarm;
    ChangeListener* listener = nullptr;
    // Hears the time of each commit; of a store that drops garbage.
    Garbage* garbage = nullptr;
    // One thread, for what may take minutes. Null: the readers do it.
    Executor* lazy = nullptr;
    // Whether the disk has room for more messages. Null: it has.
    DiskGate* disk = nullptr;
  };

  Shard(const World& world, const ShardLimits& limits, BrokerImage image);

  // Begins to work; once, on the executor's thread. Fails if a rule is damaged: then every request
  // hears so.
  Status Start();

  // Any thread. Makes room in the inbox, or says ServiceBusy; must be followed by Post with the
  // same weight.
  Status Reserve(std::size_t weight);
  // The same for who settles or renews so many tokens; there is room when senders hear ServiceBusy.
  Status ReserveTokens(std::size_t tokens);
  static std::size_t WeightOfTokens(std::size_t tokens);
  // Any thread. Weight 0 is for what must not be refused.
  void Post(Task task, std::size_t weight = 0);

  // The time that Set was asked for has come.
  void OnAlarm();
  // From now on every request hears why; receivers are ended.
  void Close(const Status& reason);

  // For tasks, while they plan.
  Catalog& catalog() { return catalog_; }
  Topics& topics() { return topics_; }
  Dispatcher& dispatcher() { return dispatcher_; }
  // The queue and lane that a path names.
  struct Target {
    Queue* queue;
    LaneId lane;
  };
  Result<Target> Resolve(std::string_view path) const;
  // The same for the name of an entity, which is no address of a part of it.
  Result<Target> ResolveEntity(std::string_view name) const;
  // The same for what keeps messages: no topic (TOP-1).
  Result<Target> ResolveHeld(std::string_view path) const;
  // The same for what messages may be sent to.
  Result<Target> ResolveSend(std::string_view path) const;
  // A subscription begins with `first_rule`, or with one that lets everything through (RUL-1).
  Result<Queue*> CreateEntity(EntityKind kind, QueueDescription description,
                              std::optional<RuleDescription> first_rule, Turn& turn);
  // One that can no longer be received from ends its receivers (STS-8, RCV-5).
  Result<Queue*> UpdateEntity(EntityKind kind, std::string_view path, EntityEdit edit, Turn& turn);
  Status DeleteEntity(EntityKind kind, std::string_view name, Turn& turn);
  // The same where nobody asks for it: that is no use of a subscription's topic (ADI-4).
  Status EraseEntity(EntityKind kind, std::string_view name, Turn& turn);
  // Of the subscription at a path.
  Result<RuleDescription> AddRule(std::string_view path, RuleDescription rule, Turn& turn);
  Status RemoveRule(std::string_view path, std::string_view name, Turn& turn);
  // The lane changed: match it with receivers, write its counters. While lanes are matched: in the
  // next turn.
  void Touch(LaneId lane);
  // The entity is used now (ADI-3): that begins its idle time anew, and is written in this turn.
  void NoteUse(const Target& target, Timestamp now);
  // Touches a lane in the next turn.
  void TouchLater(LaneId lane) { touched_next_.insert(lane); }
  // Reads after this turn is committed, then plans `then` in a later turn.
  using ReadWork = absl::AnyInvocable<Task(const StoreView& view)>;
  void ReadAfter(Turn& turn, ReadWork work);
  // Gives the space of deleted rows back after this turn is committed.
  void GiveBackAfter(Turn& turn, std::vector<TableRange> space);
  // Drops what stands in a lane, and reclaims its rows later.
  Result<std::int64_t> PurgeQueue(const Target& target, bool with_scheduled, Turn& turn);
  // The entity, unless it was deleted or the shard is closed meanwhile.
  Result<Queue*> FindOpen(EntityId entity);
  // The queue whose lane stands on this shelf; null if it was deleted or purged.
  Queue* FindShelf(const Shelf& shelf);

  // Ok, or QuotaExceeded: the disk is nearly full, and nothing may be stored that needs room.
  Status CheckDisk() const { return world_.disk == nullptr ? Status() : world_.disk->CheckRoom(); }
  bool has_disk_room() const { return world_.disk == nullptr || world_.disk->has_room(); }

  // Goes on in this turn if it is not full, or else in the next, in either before any other
  // request: for a task that has more to do than a turn holds. For tasks, while they plan.
  void GoOn(Task rest) { taken_.push_front(std::move(rest)); }
  // Plans `then` in the first turn that leaves nothing undone of what is due when it starts.
  void AwaitDue(Task then) { awaiting_due_.push_back(std::move(then)); }
  // For tasks that move messages with their content.
  MoveLine& moves() { return moves_; }
  SendLine& sends() { return sends_; }
  SessionDesk& sessions() { return desk_; }
  Transactions& transactions() { return transactions_; }
  Clock& clock() { return world_.clock; }
  // With chance for newid(), which is only drawn if there is a filter.
  PageCondition ConditionOf(std::shared_ptr<const SqlFilter> filter) {
    const std::uint64_t seed = filter == nullptr ? 0 : world_.random.Next();
    return {std::move(filter), seed};
  }
  JobRunner& jobs() { return jobs_; }
  bool is_closed() const { return closed_.has_value(); }
  // For tasks that store bodies apart from their messages.
  LooseBodies& loose_bodies() { return loose_bodies_; }
  // Why nothing may be planned any more, if so.
  Status CheckOpen() const { return closed_.value_or(Status::Ok()); }

  // Any thread may ask.
  ShardStatistics statistics() const { return counters_.Read(); }
  Latency::Snapshot accept_latency() const { return desk_.accept_latency().Read(); }
  std::size_t turns_in_flight() const { return turns_in_flight_; }

 private:
  void Wake();
  void RunTurn();
  void PlanTasks(Turn& turn);
  // Whether there is work for another turn.
  bool has_more() const;
  void PlanDue(Turn& turn);
  // What the last life of the broker left without a message goes, a step at a time.
  void DropOrphans(Turn& turn);
  bool HasDue(Timestamp now) const;
  void PlanAwaitingDue(Turn& turn);
  void ExpireLocks(LaneId lane, Turn& turn);
  void ExpireWithContent(LaneId lane, const std::vector<LockToken>& tokens, Turn& turn);
  void ReadExpired(LaneId lane, std::vector<LockToken> tokens, Turn& turn);
  void EndExpiry(Turn& turn);
  void DeadLetterExpired(LaneId lane, const std::vector<LockToken>& tokens,
                         const Result<Contents>& contents, Turn& turn);
  // Messages whose receiver left before it heard of them (LCK-14).
  void ReleaseUnheard(LaneId lane, const std::vector<LockToken>& tokens, Turn& turn);
  // Subscriptions that got copies in this turn are matched in it, too.
  void TouchArrived();
  void MatchTouched(Turn& turn);
  // `how` is what the log says of it.
  Status RemoveEntity(EntityKind kind, std::string_view name, std::string_view how, Turn& turn);
  Result<Queue*> ReplaceEntity(EntityKind kind, QueueDescription description, Turn& turn);
  void EndEntity(EntityId entity, const Status& reason, Turn& turn);
  void NoteTopicUsed(const Queue& subscription, Timestamp now);
  void NoteRulesChanged(const Queue& subscription);
  void MatchLane(Queue& queue, LaneId lane, Turn& turn);
  void TouchWoken(LaneId but);
  void RefillWindow(Queue& queue, LaneId lane, bool is_wanted, Turn& turn);
  void RefillTracks(Queue& queue, LaneId lane, Turn& turn);
  void TakeTrackRead(const Shelf& shelf, Tracks::Id track, Result<SessionReadBatch> batch,
                     Turn& turn);
  void BoundWindows();
  void NoteLeft(const Receiver& receiver, Timestamp now);
  void WriteCounters(Turn& turn);
  void Commit(std::unique_ptr<Turn> turn);
  void OnCommitted(Turn& turn, const Status& committed);
  void UpdateDeadline(LaneId lane, Timestamp deadline);
  void SetAlarm();
  // Goes on with what was under way when the broker ended.
  void Resume(const BrokerImage& image, Turn& turn);

  const World world_;
  const ShardLimits limits_;
  Catalog catalog_;
  Topics topics_;
  Dispatcher dispatcher_;
  Inbox inbox_;
  // From there, for the next turn.
  std::deque<Task> taken_;
  MoveLine moves_;
  LooseBodies loose_bodies_;
  SendLine sends_;
  SharedBodies shared_bodies_;
  Reclaimer reclaimer_;
  DueSweeper sweeper_;
  IdleWatch idle_;
  Forwarder forwarder_;
  JobRunner jobs_;
  SessionDesk desk_;
  Transactions transactions_;
  // What Start goes on with; without the catalog.
  BrokerImage resumed_;

  // Lanes that this turn touched, and those that want to be matched again in the next.
  absl::btree_set<LaneId> touched_;
  absl::btree_set<LaneId> touched_next_;
  bool is_matching_ = false;
  // When the next lock of a lane ends.
  absl::btree_set<std::pair<Timestamp, LaneId>> deadlines_;
  absl::flat_hash_map<LaneId, Timestamp> deadline_of_;
  // Steps that dead-letter messages whose locks ended, not planned yet.
  std::size_t expiries_under_way_ = 0;
  std::vector<Task> awaiting_due_;
  // Bytes in the window of a lane, for lanes that have any.
  absl::flat_hash_map<LaneId, std::size_t> window_bytes_;
  std::size_t windows_bytes_ = 0;

  std::size_t turns_in_flight_ = 0;
  // The alarm rang, and no turn has begun since.
  bool has_alarm_ = false;
  std::optional<Status> closed_;
  ShardCounters counters_;
  EntityLog entity_log_;
};

}  // namespace wharf
