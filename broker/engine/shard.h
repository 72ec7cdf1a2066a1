// Shard: one thread's worth of entities; plans, commits and publishes in turns.
//
// A turn takes everything that is waiting, plans it against memory, appends the changes as one
// batch, and when that is durable publishes: deliveries leave, callers are answered. The next turn
// is planned while the batch is on its way to the disk. What is planned is the business of its
// workers, which it puts together here; each knows of the others only what its constructor names.
// The shard has no thread of its own and never waits: it is run by an Executor, told the time by a
// Clock, and asks an Alarm to be called again. Everything here happens on the executor's thread,
// but for Admit, Post, the directory and the statistics.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "broker/core/catalog.h"
#include "broker/engine/background/due_sweeper.h"
#include "broker/engine/background/forwarder.h"
#include "broker/engine/background/idle_watch.h"
#include "broker/engine/background/job_runner.h"
#include "broker/engine/background/reclaimer.h"
#include "broker/engine/background/shared_bodies.h"
#include "broker/engine/delivery/dispatcher.h"
#include "broker/engine/delivery/lock_expiry.h"
#include "broker/engine/delivery/session_desk.h"
#include "broker/engine/delivery/windows.h"
#include "broker/engine/entities/entities.h"
#include "broker/engine/entities/entity_finder.h"
#include "broker/engine/sending/disk_room.h"
#include "broker/engine/sending/loose_bodies.h"
#include "broker/engine/sending/move_line.h"
#include "broker/engine/sending/send_line.h"
#include "broker/engine/sending/transactions.h"
#include "broker/engine/shard_counters.h"
#include "broker/engine/turn/admissions.h"
#include "broker/engine/turn/inbox.h"
#include "broker/engine/turn/open_state.h"
#include "broker/engine/turn/registrations.h"
#include "broker/engine/turn/store_reads.h"
#include "broker/engine/turn/touched_lanes.h"
#include "broker/engine/turn/turn.h"
#include "broker/requests/directory.h"
#include "broker/schema/garbage.h"
#include "broker/schema/loader.h"
#include "broker/topics/topics.h"
#include "storage/base/clock.h"
#include "storage/base/executor.h"
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
  // What may be asked and not answered, messages and requests of another kind, each 4 KiB of them
  // (see admissions.h); more hear ServiceBusy. 256 MiB of full ones.
  std::size_t admitted_weight_max = 65536;
  TransactionLimits transactions{};
  // What one turn plans of it.
  std::size_t turn_weight_max = 4096;
  // Turns planned and not yet committed.
  std::size_t turns_in_flight_max = 8;
  // Memory for the windows of all lanes; beyond it those that nobody waits on are dropped.
  std::size_t windows_bytes_max = 64 * 1024 * 1024;
};

class Shard final : public Tasks {
 public:
  struct World {
    Clock& clock;
    Random& random;
    CommitLog& log;
    Executor& self;  // One thread: the shard's.
    const Readers& readers;
    Alarm& alarm;
    ChangeListener* listener = nullptr;
    // Hears the time of each commit; of a store that drops garbage.
    Garbage* garbage = nullptr;
    // Whether the disk has room for more messages. Null: it has.
    DiskGate* disk = nullptr;
  };

  Shard(const World& world, const ShardLimits& limits, BrokerImage image);

  // Begins to work; once, on the executor's thread. Fails if a rule is damaged: then every request
  // hears so.
  Status Start();

  // Any thread. Room for a request until it is answered, or ServiceBusy.
  Result<Admission> Admit(std::size_t weight, Share share = Share::kOrdinary) {
    return admissions_.Admit(weight, share);
  }
  // Any thread.
  void Post(Task task, std::size_t weight);
  void Post(Task task) override { Post(std::move(task), 0); }

  // The time that Set was asked for has come.
  void OnAlarm();
  // From now on every request hears why; receivers are ended.
  void Close(const Status& reason);

  // The workers, for tasks while they plan.
  Catalog& catalog() { return catalog_; }
  Topics& topics() { return topics_; }
  TouchedLanes& touched() { return touched_; }
  Reads& reads() { return reads_; }
  const OpenState& open() const { return open_; }
  const EntityFinder& finder() const { return finder_; }
  Entities& entities() { return entities_; }
  Dispatcher& dispatcher() { return dispatcher_; }
  SessionDesk& sessions() { return desk_; }
  MoveLine& moves() { return moves_; }
  SendLine& sends() { return sends_; }
  LooseBodies& loose_bodies() { return loose_bodies_; }
  Transactions& transactions() { return transactions_; }
  JobRunner& jobs() { return jobs_; }
  DiskRoom disk() const { return disk_; }
  Clock& clock() { return world_.clock; }
  Random& random() { return world_.random; }

  // Goes on in this turn if it is not full, or else in the next, in either before any other
  // request: for a task that has more to do than a turn holds. For tasks, while they plan.
  void GoOn(Task rest) { taken_.push_front(std::move(rest)); }
  // Plans `then` in the first turn that leaves nothing undone of what is due when it starts.
  void AwaitDue(Task then) { awaiting_due_.push_back(std::move(then)); }
  // Any thread may ask.
  const Directory& directory() const { return directory_; }
  ShardStatistics statistics() const { return counters_.Read(); }
  Latency::Snapshot accept_latency() const { return desk_.accept_latency().Read(); }
  std::size_t turns_in_flight() const { return turns_in_flight_; }

 private:
  void Wake();
  void RunTurn();
  void PlanTasks(Turn& turn);
  // Whether there is work for another turn.
  bool has_more() const;
  // What the last life of the broker left without a message goes, a step at a time.
  void DropOrphans(Turn& turn);
  void PlanAwaitingDue(Turn& turn);
  // Subscriptions that got copies in this turn are matched in it, too.
  void TouchArrived();
  void MatchTouched(Turn& turn);
  void MatchLane(Queue& queue, LaneId lane, Turn& turn);
  void TouchWoken(LaneId but);
  void NoteLeft(const Receiver& receiver, Timestamp now);
  void WriteCounters(Turn& turn);
  static bool IsCounted(const Turn& turn);
  void Commit(std::unique_ptr<Turn> turn);
  void OnCommitted(Turn& turn, const Status& committed);
  void SetAlarm();
  // Who takes part in what concerns several workers, in the order in which they are asked.
  void RegisterWorkers();
  // Goes on with what was under way when the broker ended.
  void Resume(const BrokerImage& image, Turn& turn);

  const World world_;
  const ShardLimits limits_;
  Admissions admissions_;
  Inbox inbox_;
  // From there, for the next turn.
  std::deque<Task> taken_;
  std::vector<Task> awaiting_due_;
  // Planned and not committed.
  std::size_t turns_in_flight_ = 0;
  // The alarm rang, and no turn has begun since.
  bool has_alarm_ = false;

  Catalog catalog_;
  Topics topics_;
  TouchedLanes touched_;
  OpenState open_;
  StoreReads reads_;
  Registrations registrations_;
  const WorkerContext context_;
  const EntityFinder finder_;
  const DiskRoom disk_;

  // Workers, each after those that it knows of.
  MoveLine moves_;
  LooseBodies loose_bodies_;
  SendLine sends_;
  Windows windows_;
  Dispatcher dispatcher_;
  SessionDesk desk_;
  LockExpiry lock_expiry_;
  Reclaimer reclaimer_;
  Entities entities_;
  Forwarder forwarder_;
  DueSweeper sweeper_;
  IdleWatch idle_;
  JobRunner jobs_;
  SharedBodies shared_bodies_;
  Transactions transactions_;

  // What Start goes on with; without the catalog.
  BrokerImage resumed_;
  ShardCounters counters_;
  Directory directory_;
};

}  // namespace wharf
