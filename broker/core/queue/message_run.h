// MessageRun: fresh messages of a lane that expired, to be counted out at one go.
//
// Made message by message, in the order of their numbers, by what comes to expired messages: the
// window of a lane for its receivers, the sweeper, and its reader (reading/run_walk.h). Only
// messages whose bodies are inside them are in one: what has rows of its own elsewhere goes one by
// one. A value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "broker/core/changes/span.h"
#include "broker/core/messages/message.h"

namespace wharf {

// How far a run reaches, and how few messages are none.
struct RunLimits {
  // Fewer messages that expired go one by one, unless they lie at a span: a row that tells of them
  // alone would be no gain.
  std::int64_t count_min = 8;
  // So many numbers between neighbours can be exceptions.
  std::uint64_t gap_max = 8;
  // Of a run, and of a span.
  std::size_t exceptions_max = 1024;
};

struct MessageRun {
  // What is known of the numbers between two messages of a run: they are gone, or nothing.
  enum class Between : std::uint8_t { kGone, kUnknown };

  SequenceNumber first{};
  SequenceNumber last{};
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  // Ascending: the numbers in between that are no part of it.
  std::vector<SequenceNumber> exceptions{};
  RunLimits limits{};

  // Takes one more in; false if it cannot stand behind the others: another run begins with it.
  bool Extend(SequenceNumber number, std::int64_t message_bytes, Between between);

  // Of all that is in it.
  Span AsOf(Timestamp time) const { return {first, last, time, exceptions}; }

  // Whether such a fresh message can be in a run.
  static bool Fits(const MessageFacts& facts, Timestamp now) {
    return facts.expires_at <= now && !facts.body_ref;
  }

 private:
  bool CanBeFollowedBy(SequenceNumber number, Between between) const;
};

}  // namespace wharf
