// Queue: decides what happens to the messages of one queue and of its dead-letter queue.
//
// A subscription is a queue, too: its topic fills it. A topic is a queue whose messages go to an
// Outlet instead of waiting.
//
// Each request is checked against the rules and answered with changes, which the queue takes at
// once, or with a Status, and then nothing has changed. No disk, no clock, no thread: `now` comes
// as a parameter, and what must be read first comes as one too (Contents, FoundMessages). Owned by
// the Catalog, used on the shard's thread.
//
// It is made of parts, each of which does one kind of thing and knows only what it is made with.
// It has many functions because most of them hand a part out. Callers ask the part; moving a
// message to another entity is the business of two queues (transfer.h).
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "broker/core/queue/arrivals.h"
#include "broker/core/queue/by_number.h"
#include "broker/core/queue/dead_letters.h"
#include "broker/core/queue/duplicates.h"
#include "broker/core/queue/entity_latencies.h"
#include "broker/core/queue/entrance.h"
#include "broker/core/queue/expiry.h"
#include "broker/core/queue/gates.h"
#include "broker/core/queue/holds.h"
#include "broker/core/queue/lanes.h"
#include "broker/core/queue/placement.h"
#include "broker/core/queue/queue_limits.h"
#include "broker/core/queue/quota.h"
#include "broker/core/queue/receiving.h"
#include "broker/core/queue/redelivery.h"
#include "broker/core/queue/scheduled.h"
#include "broker/core/queue/sending.h"
#include "broker/core/queue/session_states.h"
#include "broker/core/queue/sessions.h"
#include "broker/core/queue/settling.h"

namespace wharf {

class Queue {
 public:
  // What is loaded at start.
  struct Image {
    EntityRecord record;
    Lane::Image main;
    Lane::Image dead_letter;
    // Why it must not be used; empty: it may.
    std::string fence{};
  };

  Queue(Image image, const QueueLimits& limits, Random& random, Watches& watches);
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  const EntityRecord& record() const { return record_; }
  EntityKind kind() const { return record_.kind; }
  const QueueDescription& description() const { return record_.description; }
  // Where the messages of a lane go; nothing: they wait for receivers.
  const std::optional<std::string>& forwards_to(LaneKind kind) const {
    return ForwardsTo(description(), kind);
  }
  // Makes a topic of it; `outlet` outlives the queue.
  void SetOutlet(Outlet& outlet);
  void Update(QueueDescription description, Timestamp now, Changes& changes);

  // Why nothing of it is used, and what to do about that: its rows do not agree with each other.
  // Of a topic also: why it takes nothing. Ok: it is in use.
  Status CheckFence() const;
  bool is_fenced() const { return !fence_.empty(); }
  // The bare reason; empty if it is in use.
  const std::string& fence() const { return fence_; }
  void Fence(std::string reason) { fence_ = std::move(reason); }
  // It was recounted: in use again, as it was loaded.
  void Reload(Image image);

  // Something else than a send or a receive keeps the queue from being idle (ADI-3).
  void NoteActivity(Timestamp now) { lanes_.main().NoteActivity(now); }
  // Null: it is not timed by itself.
  const EntityLatenciesPtr& latencies() const { return latencies_; }
  void set_latencies(EntityLatenciesPtr latencies) { latencies_ = std::move(latencies); }
  // When it will have been idle for long enough to be deleted; kNever if it will not (ADI-1..8).
  Timestamp idle_deadline() const;
  // What its deletion would leave.
  Remains remains() const;
  // Empties a lane, and what is scheduled if asked (PRG-1). How many messages that were.
  std::int64_t Purge(LaneKind kind, std::uint8_t next_generation, bool with_scheduled,
                     Timestamp now, Changes& changes);

  Lane& lane(LaneKind kind) { return lanes_.of(kind); }
  const Lane& lane(LaneKind kind) const { return lanes_.of(kind); }
  // How much it holds, of a topic with its copies (TOP-4).
  Quota& quota() { return quota_; }
  const Quota& quota() const { return quota_; }
  // What decides on the places of messages.
  const Placement& placement() const { return placement_; }
  // What is known of message ids.
  const Duplicates& duplicates() const { return duplicates_; }
  // Which locks and sessions hold.
  const Holds& holds() const { return holds_; }

  // What enters: from clients, when its time has come, and from other entities.
  Sending& sending() { return sending_; }
  const Sending& sending() const { return sending_; }
  Scheduled& scheduled() { return scheduled_; }
  Arrivals& arrivals() { return arrivals_; }

  // What receivers get, and what they do with it.
  Receiving& receiving() { return receiving_; }
  Settling& settling() { return settling_; }
  Sessions& sessions() { return sessions_; }
  SessionStates& session_states() { return session_states_; }
  // Messages that are named by their numbers.
  ByNumber& by_number() { return by_number_; }

  // What becomes of messages whose locks end or whose time is over, and of those that fail.
  Redelivery& redelivery() { return redelivery_; }
  Expiry& expiry() { return expiry_; }
  DeadLetters& dead_letters() { return dead_letters_; }

 private:
  EntityRecord record_;
  std::string fence_;
  EntityLatenciesPtr latencies_;
  Lanes lanes_;
  Placement placement_;
  Quota quota_;
  Duplicates duplicates_;
  Holds holds_;
  DeadLetters dead_letters_;
  Expiry expiry_;
  Redelivery redelivery_;
  Entrance entrance_;
  Scheduled scheduled_;
  Sending sending_;
  Arrivals arrivals_;
  Receiving receiving_;
  Settling settling_;
  Sessions sessions_;
  SessionStates session_states_;
  ByNumber by_number_;
};

}  // namespace wharf
