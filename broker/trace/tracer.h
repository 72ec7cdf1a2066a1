// Tracer: which messages are followed, and their spans until the Exporter takes them.
//
// The engine asks and pushes, on any thread: that never waits. What there is no room for is lost,
// and counted. Owned by the Exporter.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "broker/core/messages/message.h"
#include "broker/trace/span.h"
#include "storage/base/mutex.h"
#include "storage/base/time.h"

namespace wharf::trace {

// Of the messages that have a context: those that their sender records, or all.
enum class Sampling : std::uint8_t { kParent, kAll };

class Tracer {
 public:
  struct Limits {
    // Of spans that wait to be exported.
    std::size_t bytes_max = 4 * 1024 * 1024;
    // That leave together; so many wake the exporter.
    std::size_t batch_spans_max = 512;
  };
  struct Counts {
    std::uint64_t exported = 0;
    std::uint64_t lost_for_room = 0;
    std::uint64_t lost_on_the_way = 0;
  };

  explicit Tracer(Sampling sampling) : Tracer(sampling, Limits()) {}
  Tracer(Sampling sampling, const Limits& limits) : sampling_(sampling), limits_(limits) {}

  // A span of this message, to be filled in; nothing, if it is not followed.
  std::optional<Span> Follow(const Message& message) const;
  void Push(Span span);
  // There was no room for what would have become a span.
  void NoteLost() { lost_for_room_.fetch_add(1, std::memory_order_relaxed); }
  Counts counts() const;

  // For the exporter. Until a batch is full, `patience` is over, or it is closed.
  void AwaitBatch(Duration patience);
  // The oldest; empty if there are none.
  std::vector<Span> TakeBatch();
  // What became of them.
  void NoteExported(std::size_t spans, bool has_arrived);
  // What is pushed from now on is lost.
  void Close();
  bool is_closed() const;

 private:
  const Sampling sampling_;
  const Limits limits_;
  mutable Mutex mutex_;
  std::condition_variable_any has_batch_;
  std::deque<Span> spans_ ABSL_GUARDED_BY(mutex_);
  std::size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
  std::atomic<std::uint64_t> exported_ = 0;
  std::atomic<std::uint64_t> lost_for_room_ = 0;
  std::atomic<std::uint64_t> lost_on_the_way_ = 0;
};

}  // namespace wharf::trace
