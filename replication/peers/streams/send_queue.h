// SendQueue: what waits to be sent to one peer, of one kind of traffic, bounded in bytes.
//
// Filled by the raft thread and by who sends snapshots, emptied by the stream on its strand. It is
// open only while there is a stream: what cannot leave now is not kept for later, the consensus has
// newer messages by then. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"

namespace wharf {

class SendQueue {
 public:
  enum class Pushed : std::uint8_t {
    kDropped,     // It is closed, or full.
    kQueued,      // Whoever empties it is at work.
    kWakeStream,  // Whoever empties it has found it empty and must be told.
  };

  explicit SendQueue(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // An empty queue takes any message: how large one may be is not its own to say.
  Pushed Push(std::string message);

  void Open();
  // Throws everything away.
  void Close();

  // The next message. After nothing, the next Push tells to wake the stream.
  std::optional<std::string> Pop();

  std::size_t bytes() const;
  // Since it was made, of messages that found it full; a closed one does not count.
  std::uint64_t dropped() const;

 private:
  const std::size_t bytes_max_;
  mutable Mutex mutex_;
  bool is_open_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_waited_for_ ABSL_GUARDED_BY(mutex_) = false;
  std::deque<std::string> messages_ ABSL_GUARDED_BY(mutex_);
  std::size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  std::uint64_t dropped_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace wharf
