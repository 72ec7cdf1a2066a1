// PowerHistory: for each message body, the places where it may be, as far as its clients know.
//
// An answer pins a message to one place; an answer that was lost with the power leaves a doubt, a
// way that the message may have gone; time opens ways by itself. What a client then sees must be
// one of the places that were left, and settles the question. Used by PowerClients, who act, and by
// the engine's power test, which looks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/changes/change.h"
#include "storage/base/ids.h"
#include "storage/base/time.h"

namespace wharf {

// A set of them is a number.
using Places = unsigned;
inline constexpr Places kGone = 1;
inline constexpr Places kScheduled = 2;
inline constexpr Places kWaiting = 4;
inline constexpr Places kDelayed = 8;
inline constexpr Places kDeferred = 16;
inline constexpr Places kLocked = 32;
// Those of the main lane have their like in the dead-letter queue.
inline constexpr Places kMainLane = kWaiting | kDelayed | kDeferred | kLocked;
inline constexpr int kDeadShift = 4;
constexpr Places InLane(LaneKind lane, Places places) {
  return lane == LaneKind::kMain ? places : places << kDeadShift;
}
inline constexpr Places kDeadLane = kMainLane << kDeadShift;

// Where a message that stands in a lane is.
Places PlaceOf(LaneKind lane, Standing standing);

// A lock that a client heard of and has not settled.
struct Held {
  LaneKind lane = LaneKind::kMain;
  LockToken token;
  Timestamp until;
  // It goes back there when the lock ends (STA-4).
  bool was_deferred = false;
};

struct Known {
  // In the order in which they were sent, from 1.
  std::uint64_t ordinal = 0;
  Places places = kGone;
  std::optional<Held> held{};
  // Messages of the same atomic send whose outcome is unknown too.
  std::uint64_t batch = 0;
  // Exactly, while it is certainly scheduled.
  std::optional<Timestamp> scheduled_for{};
  // Never earlier than these; kNever if it never happens.
  Timestamp activated_at = kNever;
  Timestamp delayed_until = kNever;
  Timestamp locked_until = kNever;
  Timestamp expires_at = kNever;
  std::optional<Duration> time_to_live{};
  // Failed deliveries, if that is certain.
  std::optional<std::uint32_t> count{};
};

// A way that messages may have gone: one, or all that were sent up to some moment.
struct Doubt {
  std::string body{};  // Empty: all.
  Places from = 0;
  Places to = 0;
  std::uint64_t ordinal_max = UINT64_MAX;
  // One that is locked was so until then at least.
  Timestamp locked_until = kNever;
};

class PowerHistory {
 public:
  // Of the queue: whether what expires goes to the dead-letter queue; both after an update whose
  // outcome is unknown.
  Places expired_to = kGone;

  Known& Add(const std::string& body);
  Known& at(const std::string& body) { return known_.at(body); }
  const std::map<std::string, Known>& all() const { return known_; }
  std::uint64_t last_ordinal() const { return known_.size(); }

  // An answer said so.
  void Pin(const std::string& body, Places place);
  // Everything that may be in one of these places is in this one now.
  void PinAll(Places from, Places place);
  void NoteDoubt(Doubt doubt) { doubts_.push_back(std::move(doubt)); }
  // The same, for as long as a job runs.
  void SetJobs(std::vector<Doubt> jobs) { jobs_ = std::move(jobs); }

  // Follows every way that is open by now to its end.
  void Spread(Timestamp now);
  // What was seen, of all messages: each in one of its places. What is wrong, in words; empty if
  // nothing is. From then on the places are known.
  std::string Settle(const std::map<std::string, Places>& seen);

 private:
  void SpreadOne(const std::string& body, Known& known, Timestamp now) const;
  Places Next(const Known& known, Timestamp now) const;
  std::string CheckBatches(const std::map<std::string, Places>& seen);

  std::map<std::string, Known> known_;
  std::vector<Doubt> doubts_;
  std::vector<Doubt> jobs_;
};

// For the messages of failures.
std::string NameOf(const std::string& body);

}  // namespace wharf
