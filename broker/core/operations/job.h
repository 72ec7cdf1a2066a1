// Job: work on the messages of a lane that goes on over many turns, and over restarts (JOB-1).
//
// A plain value; made by the management door, run by the engine's JobRunner, stored in the table
// `jobs`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/entities/names.h"
#include "broker/core/messages/message.h"
#include "storage/base/ids.h"
#include "storage/base/time.h"

namespace wharf {

using JobId = StrongId<struct JobIdTag, std::uint64_t>;

// The values are on disk.
enum class JobVerb : std::uint8_t {
  kRedrive = 1,         // Dead letters go back to a queue (RDR-1).
  kDeleteMessages = 2,  // Waiting messages are deleted (PRG-2).
};
enum class JobState : std::uint8_t { kRunning = 1, kCompleted = 2, kCancelled = 3, kFailed = 4 };

// Which messages a job takes: those that satisfy everything that is said.
struct MessageSelection {
  // The application property DeadLetterReason (DLQ-10).
  std::optional<std::string> dead_letter_reason{};
  // enqueued_time at or after this, and before that.
  std::optional<Timestamp> enqueued_from{};
  std::optional<Timestamp> enqueued_before{};
  // Sorted; empty: any.
  std::vector<SequenceNumber> numbers{};
  // An SQL filter, made ready by the JobRunner and asked by a reader; empty: any.
  std::string sql_filter{};

  // Apart from the filter.
  bool Takes(const StoredMessage& message) const;
  friend bool operator==(const MessageSelection&, const MessageSelection&) = default;
};

// What is to be done.
struct JobOrder {
  JobVerb verb = JobVerb::kRedrive;
  // The address of the lane, as it was given.
  std::string path{};
  MessageSelection selection{};
  // Redrive: the queue that the messages go to; empty: the one they came from.
  std::string target{};
  // Messages a second; 0: as many as can be.
  std::uint32_t rate_max = 0;
  // Counts what it would take, and takes nothing.
  bool is_dry_run = false;
  friend bool operator==(const JobOrder&, const JobOrder&) = default;
};

// Each message is looked at once, in the order of numbers.
struct JobRecord {
  JobId id;
  JobOrder order{};
  EntityId entity{};
  LaneKind lane = LaneKind::kMain;
  JobState state = JobState::kRunning;
  // The next number to look at, and the first that is not the job's business: that of messages
  // which come after it began.
  SequenceNumber position{};
  SequenceNumber until{};
  std::int64_t looked_at = 0;
  std::int64_t matched = 0;
  // Moved or deleted.
  std::int64_t done = 0;
  // Matched and left where they are: locked, or refused by the target.
  std::int64_t left = 0;
  // Why it failed, or why the target last refused a message.
  std::string error{};
  Timestamp created_at{};
  Timestamp finished_at = kNever;
  // Who began it (Asker); empty: nobody had to prove anything then.
  std::string owner{};

  bool is_running() const { return state == JobState::kRunning; }
  friend bool operator==(const JobRecord&, const JobRecord&) = default;
};

}  // namespace wharf
