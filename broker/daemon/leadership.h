// Leadership: the broker for as long as one commit log is open and commits what it plans.
//
// From what the store says it makes the entities in memory, a shard with its thread, its readers
// and the publisher, and the way in for doors; all of it goes when the log does. On one machine
// that is once a process. A log whose leadership ends is closed while the process goes on: then
// everything that is asked and waits hears why, the doors let go (Server::Close), and only when
// nothing is in use any more is the memory freed. After that another leadership may begin, from
// what is in the store then.
//
// Made, used and ended on one thread (the main thread's); what it says of itself, on any.
#pragma once

#include <functional>
#include <memory>

#include "broker/daemon/process/thread_pool.h"
#include "broker/doors/common/call_gate.h"
#include "broker/engine/manual_alarm.h"
#include "broker/engine/requests/pipeline.h"
#include "broker/engine/shard.h"
#include "broker/engine/shard_thread.h"
#include "broker/reading/readers.h"
#include "broker/requests/clock_control.h"
#include "storage/base/random.h"

namespace wharf {

class Leadership {
 public:
  // All of it outlives the leadership. The log completes all that it is given.
  struct World {
    const Store& store;
    CommitLog& log;
    Clock& clock;
    // The same clock, if it stands still. Null: it does not.
    ManualClock* manual_clock = nullptr;
    // Whether the disk has room for more messages. Null: it has.
    DiskGate* disk = nullptr;
    // Who may do what. Null: everybody may do everything.
    access::Guard* guard = nullptr;
    // Gets spans of messages that are followed. Null: none is.
    trace::Tracer* tracer = nullptr;
    // Why messages are not kept yet as AMQP encoded them (Shard::World). Null: they are.
    std::function<Status()> check_encodings{};
    std::function<Status()> check_event_logs{};
    // Whether what a client's XML says that is not known is kept. Null: it is.
    std::function<bool()> keeps_unknown_elements{};
    // Whether rules of access remember their replaced keys. Null: they do.
    std::function<bool()> keeps_replaced_keys{};
    // Hears how many rules of access there are, whoever obeys them (Shard::World).
    std::function<void(std::size_t rules)> on_rules{};
  };

  Leadership(const World& world, const ShardLimits& limits, BrokerImage image);
  ~Leadership() { Stop(); }

  // Waits until the shard has begun to work.
  Status Begin();
  // For what is planned from now on.
  void SetLimits(const ShardLimits& limits);
  // Until all that was asked so far is durable and told, or it takes too long.
  void AwaitCommit(Duration patience);
  // The log is closed, for this reason: what waits hears so, and what is asked from now on.
  void Close(const Status& reason);
  // Plans nothing any more, waits until the log has completed all that it was given, and ends the
  // threads. No client asks anything any more. What the broker does of itself (jobs, forwarding,
  // reclaiming) is broken off between two steps; the next leadership goes on with it.
  void Stop();

  // For doors, from Begin to Stop.
  Requests& requests() { return *requests_; }
  ClockControl& clock_control() { return clock_control_; }
  // Any thread.
  const Shard& shard() const { return shard_; }
  const Readers& readers() const { return readers_; }

 private:
  Alarm& alarm();

  // In the order of their making; they go down in the opposite one.
  const World world_;
  SystemRandom random_;
  ShardThread thread_;
  ManualAlarm manual_alarm_;
  // What somebody waits for; what nobody waits for.
  ThreadPool awaited_reads_;
  ThreadPool background_reads_;
  // Of one thread: callers hear there of what is committed.
  ThreadPool publisher_;
  const Readers readers_;
  Shard shard_;
  const std::unique_ptr<Requests> requests_;
  ClockControl clock_control_;
  bool is_stopped_ = false;
};

}  // namespace wharf
