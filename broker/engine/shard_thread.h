// ShardThread: the thread that a shard lives on, and the alarm clock that wakes it.
//
// A single-threaded io_context; any thread may post work to it. The alarm counts the time in which
// the machine is suspended, as broker time does. Made by a leadership.
#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "broker/engine/shard.h"
#include "storage/base/clock.h"
#include "storage/base/executor.h"

namespace wharf {

class ShardThread final : public Executor, public Alarm {
 public:
  explicit ShardThread(Clock& clock);
  ~ShardThread() override;
  // Runs what was posted, then ends the thread; what is posted later is never run. So a log may
  // outlive the thread and still say that it committed.
  void Join();

  // What the alarm calls; before the first Set.
  void WakeAtAlarm(std::function<void()> on_alarm);

  void Post(Work work) override;
  // On the shard's thread.
  void Set(Timestamp time) override;

 private:
  struct Context;

  void AwaitAlarm();

  Clock& clock_;
  const std::unique_ptr<Context> context_;
  std::function<void()> on_alarm_;
  // Owned by the shard's thread.
  Timestamp alarm_ = kNever;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace wharf
