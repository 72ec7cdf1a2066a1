// Spans: what of a lane was counted out, and whose rows may still be there (span.h).
//
// They are disjoint and in order, and neighbours become one, so that a queue of which everything
// expires has one span however long it lives. Bounded in number and in exceptions, because each
// view that looks at the lane reads them: for those that come, those that grew longest ago are
// given up, and their rows are deleted. As they are here they are in the table `spans` when the
// turn is committed. Owned by a Lane, used on the shard's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "broker/core/queue/message_run.h"

namespace wharf {

// How many a lane has, and what they say.
struct SpanLimits {
  RunLimits run{};
  std::size_t spans_max = 256;
  // Of all spans of a lane, and no fewer than a run may have: 64 KiB in memory, and in each view
  // that looks at them.
  std::size_t exceptions_in_all_max = 8192;
  // Of one that grows at its ends, and is written anew each time.
  std::size_t extended_exceptions_max = 64;
};

class Spans {
 public:
  // How the rows of a span that is given up are deleted: all that stands between two exceptions at
  // one go, or each.
  enum class Deletion : std::uint8_t { kInRanges, kOneByOne };
  // Of a span that is given up, and about so many of all that are at one go.
  static constexpr std::uint64_t kDeletionsMax = 4096;
  static constexpr std::uint64_t kDeletionsTogether = 1024;

  // As they were loaded, in the order of their keys.
  explicit Spans(std::vector<Span> loaded = {}, const SpanLimits& limits = {})
      : limits_(limits), spans_(std::move(loaded)) {}

  // Whether none lies over another one; what was loaded may be damaged.
  bool are_disjoint() const;
  const std::vector<Span>& all() const { return spans_; }
  // Whether one covers the number: then there is no such message any more.
  bool Covers(SequenceNumber number) const;
  // Whether there is a number that this one and one of them cover.
  bool Meet(const Span& other) const;

  bool HasRoomFor(const MessageRun& run) const;
  // Whether one is there that the run would make longer, and stays a small row.
  bool MayGrowBy(const MessageRun& run) const;
  // Until there is room for the run, and some more, so that it is done seldom: those that are given
  // up, and are no more. Their rows must go in the same commit. There may be no room nevertheless,
  // where too many rows would have to.
  std::vector<Span> MakeRoomFor(const MessageRun& run, Deletion deletion);
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
  // Of those from `begin` to `end` which is given up next.
  std::optional<std::size_t> Choose(std::size_t begin, std::size_t end, Deletion deletion) const;
  static std::uint64_t CountDeletions(const Span& span, Deletion deletion);
  Span Take(std::size_t index);
  std::size_t CountExceptions() const;
  // A quarter of all that there may be is free.
  bool is_roomy() const;

  SpanLimits limits_;
  std::vector<Span> spans_;
};

}  // namespace wharf
