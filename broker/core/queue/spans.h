// Spans: what of a lane was counted out, and whose rows may still be there (span.h).
//
// They are disjoint and in order, and neighbours become one, so that a queue of which everything
// expires has one span however long it lives. Bounded in number and in exceptions: beyond, messages
// go one by one. As they are here they are in the table `spans` when the turn is committed. Owned
// by a Lane, used on the shard's thread.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "broker/core/queue/message_run.h"

namespace wharf {

class Spans {
 public:
  // Of a lane.
  static constexpr std::size_t kSpansMax = 256;
  // Of a span.
  static constexpr std::size_t kExceptionsMax = MessageRun::kExceptionsMax;
  // Of all spans of a lane: 64 KiB in memory, and in each view that looks at them.
  static constexpr std::size_t kExceptionsInAllMax = 8 * kExceptionsMax;
  // Of one that grows at its ends, and is written anew each time.
  static constexpr std::size_t kExtendedExceptionsMax = 64;

  Spans() = default;
  // As they were loaded, in the order of their keys.
  explicit Spans(std::vector<Span> loaded) : spans_(std::move(loaded)) {}

  // Whether none lies over another one; what was loaded may be damaged.
  bool are_disjoint() const;
  const std::vector<Span>& all() const { return spans_; }
  // Whether one covers the number: then there is no such message any more.
  bool Covers(SequenceNumber number) const;

  bool HasRoomFor(const MessageRun& run) const;
  // The span that a run became, and the first numbers of others that it takes the place of.
  struct Grown {
    Span span;
    std::vector<SequenceNumber> absorbed;
  };
  // There must be room.
  Grown Add(const MessageRun& run, Timestamp now);
  // The lane was purged.
  void Clear() { spans_.clear(); }

 private:
  // What the spans from `begin` to `end` (exclusive) become.
  struct Joint {
    Span span;
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  Joint Join(const Span& run) const;
  // With the neighbour at `index`, if that is near and both together may be written often.
  void JoinNeighbour(Joint& joint, std::size_t index) const;
  // One span of another one and of those from `begin` to `end`; what none of them covers is an
  // exception.
  Span Unite(const Span& one, std::size_t begin, std::size_t end) const;
  bool HasRoomFor(const Joint& joint) const;

  std::vector<Span> spans_;
};

}  // namespace wharf
