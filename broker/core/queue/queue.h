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
//
// A queue in which nothing is can rest: its lanes and parts are gone then, and are made again, as
// they were, for whoever asks for one. What was handed out before is gone with them. What is said
// here to leave it at rest can be asked of thousands.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "broker/core/entities/shared_settings.h"
#include "broker/core/queue/awake_queues.h"
#include "broker/core/queue/entity_latencies.h"
#include "broker/core/queue/gates.h"
#include "broker/core/queue/queue_parts.h"
#include "broker/core/queue/resting_lane.h"

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

  // What all of them are made with; it outlives them.
  struct World {
    const QueueLimits& limits;
    Random& random;
    Watches& watches;
    // Hears of each that is made, or wakes.
    AwakeQueues& awake;
  };

  Queue(Image image, const World& world);
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  EntityId id() const { return id_; }
  EntityKind kind() const { return kind_; }
  // Both leave it at rest; the settings of one that rests have no name.
  const std::string& name() const { return is_at_rest() ? resting_.name : description().name; }
  const QueueDescription& settings() const {
    return is_at_rest() ? *resting_.settings : description();
  }
  const EntityRecord& record() const { return parts().record; }
  const QueueDescription& description() const { return record().description; }
  // Where the messages of a lane go; nothing: they wait for receivers.
  const std::optional<std::string>& forwards_to(LaneKind kind) const {
    return ForwardsTo(description(), kind);
  }
  // Makes a topic of it; `outlet` outlives the queue.
  void SetOutlet(Outlet& outlet);
  // From now on its bytes are part of `total`, which is so always right without being asked for.
  void CountInto(std::shared_ptr<std::int64_t> total);
  // The same of the namespace's, which outlives it.
  void CountIntoNamespace(NamespaceSize& size);

  // Gives back what its lanes and parts take, if there is nothing in it and all that is counted of
  // it is written; whether it rests now.
  bool Rest(Timestamp now, SharedSettings& known);
  bool is_at_rest() const { return parts_ == nullptr; }
  // These leave it at rest: what is counted of a lane, where its rows stand, and the bytes of all
  // (quota.h).
  LaneCounters counters(LaneKind kind) const;
  Shelf shelf(LaneKind kind) const;
  std::int64_t bytes() const;
  void Update(QueueDescription description, Timestamp now, Changes& changes);

  // Why nothing of it is used, and what to do about that: its rows do not agree with each other.
  // Of a topic also: why it takes nothing. Ok: it is in use.
  Status CheckFence() const;
  bool is_fenced() const { return fence_ != nullptr; }
  // The bare reason; empty if it is in use.
  std::string fence() const { return is_fenced() ? *fence_ : std::string(); }
  void Fence(std::string reason);
  // It was recounted: in use again, as it was loaded.
  void Reload(Image image);

  // Something else than a send or a receive keeps the queue from being idle (ADI-3).
  void NoteActivity(Timestamp now) { parts().lanes.main().NoteActivity(now); }
  // Null: it is not timed by itself.
  const EntityLatenciesPtr& latencies() const { return latencies_; }
  void set_latencies(EntityLatenciesPtr latencies) { latencies_ = std::move(latencies); }
  // When it will have been idle for long enough to be deleted; kNever if it will not (ADI-1..8).
  // Leaves it at rest, as the next one.
  Timestamp idle_deadline() const;
  // What its deletion would leave.
  Remains remains() const;
  // Empties a lane, and what is scheduled if asked (PRG-1). How many messages that were.
  std::int64_t Purge(LaneKind kind, std::uint8_t next_generation, bool with_scheduled,
                     Timestamp now, Changes& changes);

  Lane& lane(LaneKind kind) { return parts().lanes.of(kind); }
  const Lane& lane(LaneKind kind) const { return parts().lanes.of(kind); }
  // How much it holds, of a topic with its copies (TOP-4).
  Quota& quota() { return parts().quota; }
  const Quota& quota() const { return parts().quota; }
  // What decides on the places of messages.
  const Placement& placement() const { return parts().placement; }
  // What is known of message ids.
  const Duplicates& duplicates() const { return parts().duplicates; }
  // Which locks and sessions hold.
  const Holds& holds() const { return parts().holds; }

  // What enters: from clients, when its time has come, and from other entities.
  Sending& sending() { return parts().sending; }
  const Sending& sending() const { return parts().sending; }
  Scheduled& scheduled() { return parts().scheduled; }
  Arrivals& arrivals() { return parts().arrivals; }

  // What receivers get, and what they do with it.
  Receiving& receiving() { return parts().receiving; }
  Settling& settling() { return parts().settling; }
  Sessions& sessions() { return parts().sessions; }
  SessionStates& session_states() { return parts().session_states; }
  // Messages that are named by their numbers.
  ByNumber& by_number() { return parts().by_number; }

  // What becomes of messages whose locks end or whose time is over, and of those that fail.
  Redelivery& redelivery() { return parts().redelivery; }
  Expiry& expiry() { return parts().expiry; }
  DeadLetters& dead_letters() { return parts().dead_letters; }

 private:
  // What is known of it while it rests.
  struct Resting {
    RestingLane main;
    RestingLane dead_letter;
    RestingEntity entity;
    std::string name{};
    SettingsPtr settings{};
    Timestamp created_at{};
    Timestamp updated_at{};
  };

  // Wakes it.
  QueueParts& parts() const {
    if (is_at_rest()) Wake();
    return *parts_;
  }
  void Wake() const;
  // What outlives the parts is told to them.
  void MakeParts(Image image) const;

  const EntityId id_;
  const EntityKind kind_;
  // Of the lanes that are made next.
  std::uint32_t life_ = 0;
  const World& world_;
  // Null: it is in use.
  std::unique_ptr<const std::string> fence_;
  EntityLatenciesPtr latencies_;
  // Null unless it is a topic.
  Outlet* outlet_ = nullptr;
  std::shared_ptr<std::int64_t> total_;
  NamespaceSize* namespace_size_ = nullptr;
  // It is known by one of the two; whoever looks at it cannot tell by which. No parts: it rests.
  mutable Resting resting_;
  mutable std::unique_ptr<QueueParts> parts_;
};

}  // namespace wharf
