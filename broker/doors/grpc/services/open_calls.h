// OpenCalls: the calls and streams that are under way, so that a stop can end them in order.
//
// Every call takes a ticket when it begins and keeps it until gRPC is done with it. Once the broker
// stops, no more tickets are given, and whoever waits (a call for a message, a stream for its
// client) is told to come to its end. Any thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

class OpenCalls {
 public:
  // Asks a call to end soon; may be called when the call is over already.
  using End = std::function<void()>;

  // One call. It outlives neither the OpenCalls nor the call.
  class Ticket {
   public:
    ~Ticket();
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;

    // False if the broker is stopping: the call must be refused.
    bool is_valid() const { return calls_ != nullptr; }
    // Calls `end` when the broker stops, or now if it does already. Once a ticket.
    void OnStop(End end);

   private:
    friend class OpenCalls;
    explicit Ticket(OpenCalls* calls) : calls_(calls) {}

    OpenCalls* const calls_;
    std::optional<std::list<End>::iterator> end_;
  };

  // What a call is told that was not taken.
  static Status Refusal();

  Ticket Enter();

  // From now on tickets are not valid; those who wait are told to end.
  void Stop();
  // Until the last ticket is given back; false if that takes longer.
  bool WaitUntilNone(Duration patience);
  // Until nobody was refused for so long; at most `patience`.
  void WaitUntilQuiet(Duration quiet, Duration patience);

 private:
  Mutex mutex_;
  std::condition_variable_any changed_;
  bool is_stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::size_t open_ ABSL_GUARDED_BY(mutex_) = 0;
  std::size_t refused_ ABSL_GUARDED_BY(mutex_) = 0;
  std::list<End> ends_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf
