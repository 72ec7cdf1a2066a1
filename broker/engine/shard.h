// Shard: one thread's worth of entities; plans, commits and publishes in turns.
//
// A turn takes everything that is waiting, plans it against memory, appends the changes as one
// batch, and when that is durable publishes: deliveries leave, callers are answered. The next turn
// is planned while the batch is on its way to the disk, and while callers hear. What is planned is
// the business of its Workers and of the tasks on its Agenda. The shard has no thread of its own
// and never waits: it is run by an Executor, told the time by a Clock, and asks an Alarm to be
// called again. Everything here happens on the executor's thread, but for Admit, posting to the
// agenda, the directory and the statistics.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "broker/access/guard.h"
#include "broker/engine/delivery/delivery_traces.h"
#include "broker/engine/entities/event_logs.h"
#include "broker/engine/entities/namespace_watch.h"
#include "broker/engine/requests/request_watch.h"
#include "broker/engine/shard_counters.h"
#include "broker/engine/shard_limits.h"
#include "broker/engine/timed_entities.h"
#include "broker/engine/turn/admissions.h"
#include "broker/engine/turn/agenda.h"
#include "broker/engine/turn/publisher.h"
#include "broker/engine/turn/turn.h"
#include "broker/engine/turn/turn_audit.h"
#include "broker/engine/turn/turn_watch.h"
#include "broker/engine/workers.h"
#include "broker/requests/directory.h"
#include "broker/schema/loader.h"
#include "storage/base/clock.h"
#include "storage/base/executor.h"
#include "storage/base/log_limit.h"
#include "storage/base/random.h"
#include "storage/commit_log.h"
#include "storage/disk/disk_gate.h"

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

class Shard {
 public:
  struct World {
    Clock& clock;
    Random& random;
    CommitLog& log;
    Executor& self;  // One thread: the shard's.
    // One thread: most of what is committed callers hear there (Publisher).
    Executor& publisher;
    const Readers& readers;
    Alarm& alarm;
    ChangeListener* listener = nullptr;
    // Whether the disk has room for more messages. Null: it has.
    DiskGate* disk = nullptr;
    // Times its work.
    TurnWatch::Now now = SteadyNow;
    // Told who may do what, as it is committed. Null: nobody asks.
    access::Guard* guard = nullptr;
    // Where new keys come from.
    access::KeySource keys = access::SystemKeys();
    // Gets spans of messages that are followed. Null: none is.
    trace::Tracer* tracer = nullptr;
    // Why what needs AMQP's own encodings (requests/encodings.h) must not be kept yet: somebody
    // could not read it. OK: it may, from now on. Any thread. Null: it may.
    std::function<Status()> check_encodings{};
    // The same of event logs, and of entities that have one.
    std::function<Status()> check_event_logs{};
    // Whether what a client's XML says that is not known is kept (QueueDescription); where it is
    // not, somebody could not read it. Null: it is.
    std::function<bool()> keeps_unknown_elements{};
    // The same of the keys of rules of access that were replaced (AccessRule).
    std::function<bool()> keeps_replaced_keys{};
    // Hears how many rules there are whenever they change, whoever obeys them. Null: nobody does.
    std::function<void(std::size_t rules)> on_rules{};
  };

  Shard(const World& world, const ShardLimits& limits, BrokerImage image);

  // Begins to work; once, on the executor's thread. Fails if a rule is damaged: then every request
  // hears so.
  Status Start();

  // Any thread. Room for a request until it is answered, or ServiceBusy.
  Result<Admission> Admit(std::size_t weight, Share share = Share::kOrdinary) {
    return admissions_.Admit(weight, share);
  }
  // Any thread. Why a request that brings AMQP's own encodings is refused; or OK.
  Status CheckEncodings() const {
    return world_.check_encodings ? world_.check_encodings() : Status();
  }
  // What is posted to it comes from any thread.
  Agenda& agenda() { return agenda_; }

  // For what is planned from now on, on the executor's thread. What connections, rules and requests
  // are bounded by stays what it was at the start.
  void SetLimits(const ShardLimits& limits);

  // What is in force, for tasks while they plan.
  const ShardLimits& limits() const { return limits_; }

  // The time that Set was asked for has come.
  void OnAlarm();
  // From now on every request hears why; receivers are ended.
  void Close(const Status& reason);
  // Plans nothing any more. `ended` is called when all that was planned is committed, or never will
  // be; once.
  void End(std::function<void()> ended);

  // For tasks, while they plan.
  Workers& workers() { return workers_; }
  const Workers& workers() const { return workers_; }

  // Any thread may ask.
  const Directory& directory() const { return directory_; }
  ShardStatistics statistics() const { return counters_.Read(); }
  Latency::Snapshot receive_latency() const { return counters_.receive_latency(); }
  Latency::Snapshot message_wait() const { return counters_.wait(); }
  std::vector<TimedEntity> timed_entities() const { return timed_.Read(); }
  std::shared_ptr<const EntityNumbers> entity_numbers() const { return counters_.numbers(); }
  // May be kept beyond the shard, as answers may be under way then.
  const std::shared_ptr<RequestWatch>& request_watch() const { return request_watch_; }
  std::size_t window_bytes() const { return workers_.windows.bytes(); }
  std::size_t admitted_weight() const { return admissions_.taken(); }
  std::size_t admitted_weight_max() const { return admissions_.taken_max(); }
  bool is_nearly_full() const { return admissions_.is_near(); }
  NamespaceUse namespace_use() const { return namespace_watch_.use(); }
  Latency::Snapshot accept_latency() const { return workers_.sessions.accept_latency().Read(); }
  const TurnWatch& watch() const { return watch_; }
  access::Guard* guard() const { return world_.guard; }
  trace::Tracer* tracer() const { return world_.tracer; }
  std::size_t turns_in_flight() const { return turns_in_flight_; }

 private:
  void Wake();
  bool may_plan() const;
  void RunTurn();
  // Whether there is work for another turn.
  bool has_more() const { return agenda_.has_more() || workers_.touched.has_next(); }
  void PlanAwaitingDue(Turn& turn);
  // Subscriptions that got copies in this turn are matched in it, too.
  void TouchArrived();
  void MatchTouched(Turn& turn);
  void MatchLane(Queue& queue, LaneId lane, Turn& turn);
  void TouchWoken(LaneId but);
  void WriteCounters(Turn& turn);
  static bool IsCounted(const Turn& turn);
  void Commit(std::unique_ptr<Turn> turn);
  void Append(std::unique_ptr<Turn> turn, WriteBatch batch);
  void Confirm(std::unique_ptr<Turn> turn);
  void PostCommitted(std::unique_ptr<Turn> turn, const Status& committed);
  void OnCommitted(Turn& turn, const Status& committed);
  void Conclude(Turn& turn, const Status& committed);
  void Publish(Turn& turn, const Status& committed);
  // Before anybody is answered. Null: it is as before.
  void PublishBook(std::shared_ptr<const access::Book> book) const;
  void SetAlarm();

  const World world_;
  // What bounds entities and transactions reads it here, each time.
  ShardLimits limits_;
  Publisher publisher_;
  Admissions admissions_;
  Agenda agenda_;
  // Planned and not published.
  std::size_t turns_in_flight_ = 0;
  std::size_t bytes_in_flight_ = 0;
  // The alarm rang, and no turn has begun since.
  bool has_alarm_ = false;
  // Set by End.
  std::function<void()> ended_;

  Workers workers_;
  // What Start goes on with.
  BrokerImage resumed_;
  ShardCounters counters_;
  NamespaceWatch namespace_watch_;
  DeliveryTraces traces_;
  EventLogs event_logs_;
  Directory directory_;
  TimedEntities timed_;
  TurnAudit audit_;
  TurnWatch watch_;
  const std::shared_ptr<RequestWatch> request_watch_ = std::make_shared<RequestWatch>();
};

}  // namespace wharf
