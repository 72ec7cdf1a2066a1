// Story: everything that a history says about one message.
//
// The Storybook sorts a history by messages; the checks read one story after the other. It points
// into the history, which must outlive it.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "tools/crash/history/history.h"
#include "tools/crash/history/session_locks.h"

namespace wharf::crash {

// Between the broker's clock and ours, which are those of one machine, and for a request on its
// way.
inline constexpr Duration kClockMargin = std::chrono::milliseconds(500);

// One delivery, and what was done with its token.
struct Holding {
  const DeliveryRecord* delivery = nullptr;
  std::vector<const SettleRecord*> settles;
  std::vector<const RenewRecord*> renews;

  // Null if its queue has no sessions.
  const SessionLock* session = nullptr;

  // By the broker's clock: the lock, as far as it is known to hold unless it was settled.
  Timestamp locked_from{};
  Timestamp locked_until{};
  // By so much the end may be later than it was told.
  Duration rounding{};
  // Where it stands among the others, for which the time that was told may be too rough.
  Timestamp place{};

  // When it was locked at the latest.
  Timestamp LatestStart() const { return locked_from + delivery->rounding; }

  // Whether some settlement of this verb was answered so.
  bool Has(Verb verb, Answer answer) const;
  // The first tick at which its message may have been settled; kNoTick if nobody tried.
  Tick FirstSettle() const;
  // The same for a settlement that removes the message for good.
  Tick FirstCompletion() const;
};

// A peek, or a census, that showed the message.
struct Sighting {
  Tick begin = 0;
  Tick end = 0;
  // By the clock.
  Timestamp began_at{};
  Source source;
  const SeenMessage* message = nullptr;
};

// That the message was in one place at some moment from `begin` to `end`.
struct Sign {
  Tick begin = 0;
  Tick end = 0;
  Lane lane = Lane::kMain;
  bool is_scheduled = false;
  std::int64_t redrives = 0;
};

struct Story {
  MessageId id;
  // Null if nobody sent it.
  const SendRecord* send = nullptr;
  const SentMessage* sent = nullptr;
  // In the order in which the broker handed it out.
  std::vector<Holding> holdings;
  std::vector<Sighting> sightings;
  // Of a scheduled message.
  std::vector<const CancelRecord*> cancels;
  std::vector<const MoveRecord*> moves;
  std::vector<const ActivateRecord*> activations;
  // Those that may have taken it.
  std::vector<const PurgeRecord*> purges;
  // Where duplicates are dropped: every send but the first.
  std::vector<const RepeatRecord*> repeats;
  // Of all that, what tells where it was.
  std::vector<Sign> signs;

  // From when on the broker is known to have it; kNoTick if it may never have had it.
  Tick KnownSince() const;
  // The first tick at which it may have left the broker for good, in an orderly way.
  Tick GoneSince() const;
  // The latest tick at which it is known to have been there still; 0 if it may never have been.
  Tick LastSign() const;
  bool IsScheduled() const { return sent != nullptr && sent->due.has_value(); }
};

class Storybook {
 public:
  explicit Storybook(const History& history);

  const History& history() const { return history_; }
  const SessionLocks& session_locks() const { return session_locks_; }
  const std::map<MessageId, Story>& stories() const { return stories_; }
  const QueueRecord& queue(const Story& story) const { return history_.queues[story.send->queue]; }
  // Of a message that somebody sent; zero: it lives for ever.
  Duration TimeToLive(const Story& story) const;

 private:
  void AddSends();
  void AddHoldings();
  void AddSightings();
  void AddScheduled();
  void AddRepeats();
  void Order(Story& story) const;
  void AddPurges();

  const History& history_;
  const SessionLocks session_locks_;
  std::map<MessageId, Story> stories_;
};

}  // namespace wharf::crash
