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
//   queue.cc             what it is, and sending
//   queue_delivery.cc    receiving, settling, and how locks end
//   queue_by_number.cc   messages that are named by their numbers
//   queue_forward.cc     forwarding: how messages leave for other entities, and enter from them
//   queue_scheduled.cc   scheduled messages
//   queue_sessions.cc    sessions: who holds them, their state, their expiry
//   queue_topic.cc       what enters a queue, a topic or a subscription, and how
//   queue_checks.cc      what a transaction asks before it changes anything
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/messages/known_ids.h"
#include "broker/core/messages/send_outcome.h"
#include "broker/core/queue/by_number.h"
#include "broker/core/queue/dead_letters.h"
#include "broker/core/queue/duplicates.h"
#include "broker/core/queue/expiry.h"
#include "broker/core/queue/found.h"
#include "broker/core/queue/gates.h"
#include "broker/core/queue/holds.h"
#include "broker/core/queue/lane.h"
#include "broker/core/queue/lanes.h"
#include "broker/core/queue/outlet.h"
#include "broker/core/queue/placement.h"
#include "broker/core/queue/queue_limits.h"
#include "broker/core/queue/quota.h"
#include "broker/core/queue/receiving.h"
#include "broker/core/queue/redelivery.h"
#include "broker/core/queue/session_states.h"
#include "broker/core/queue/sessions.h"
#include "broker/core/queue/settlement.h"
#include "broker/core/queue/settling.h"
#include "storage/base/random.h"

namespace wharf {

// What became of a message that was to be forwarded.
enum class Forwarded : std::uint8_t {
  kMoved,
  kDeadLettered,
  kPassed,   // It stays in the dead-letter queue: no target would take it.
  kBlocked,  // It stays there, and so does all that is behind it, until the target takes messages.
};

class Queue {
 public:
  // What is loaded at start.
  struct Image {
    EntityRecord record;
    Lane::Image main;
    Lane::Image dead_letter;
  };

  Queue(Image image, const QueueLimits& limits, Random& random, Watches& watches);
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  const EntityRecord& record() const { return record_; }
  EntityKind kind() const { return record_.kind; }
  const QueueDescription& description() const { return record_.description; }
  // Makes a topic of it; `outlet` outlives the queue.
  void SetOutlet(Outlet& outlet);
  // How much it holds, of a topic with its copies (TOP-4).
  Quota& quota() { return quota_; }
  const Quota& quota() const { return quota_; }
  // What decides on the places of messages.
  const Placement& placement() const { return placement_; }
  // What is known of message ids.
  const Duplicates& duplicates() const { return duplicates_; }
  // Which messages have expired, and how they go.
  Expiry& expiry() { return expiry_; }
  // Which locks and sessions hold.
  const Holds& holds() const { return holds_; }
  // What happens to messages whose locks end.
  Redelivery& redelivery() { return redelivery_; }
  // What receivers get, and whether there is something for them.
  Receiving& receiving() { return receiving_; }
  // Messages that are named by their numbers.
  ByNumber& by_number() { return by_number_; }
  // What receivers do with messages that they hold.
  Settling& settling() { return settling_; }
  // Who holds sessions, and what they keep with them.
  Sessions& sessions() { return sessions_; }
  SessionStates& session_states() { return session_states_; }
  Lane& lane(LaneKind kind) { return lanes_.of(kind); }
  const Lane& lane(LaneKind kind) const { return lanes_.of(kind); }

  void Update(QueueDescription description, Timestamp now, Changes& changes);
  // Something else than a send or a receive keeps the queue from being idle (ADI-3).
  void NoteActivity(Timestamp now) { lanes_.main().NoteActivity(now); }
  // When it will have been idle for long enough to be deleted; kNever if it will not (ADI-1..8).
  Timestamp idle_deadline() const;

  // One result a message. With `atomic` either every message gets a number, or the status says why
  // none did. `known` has what is known of the messages' ids, and learns the new ones; only a queue
  // with duplicate detection looks at it.
  Result<std::vector<Result<SendOutcome>>> Send(std::vector<Message> messages, bool atomic,
                                                KnownIds& known, Timestamp now, Changes& changes);

  // A message whose large body comes apart from it. Checked before its body is there...
  Status CheckSendLarge(const Message& message, std::uint64_t body_bytes, Timestamp now) const;
  // ...and sent when `body` is in rows of its own.
  Result<SendOutcome> SendLarge(Message message, const BodyRef& body, KnownIds& known,
                                Timestamp now, Changes& changes);

  // A copy of a message of the subscription's topic; `copy` says everything but what the
  // subscription gives it: number, session, time to live. One that it cannot take goes to its
  // dead-letter queue (RSN-4).
  void TakeCopy(std::shared_ptr<StoredMessage> copy, Timestamp now, Changes& changes);
  // The same for one that goes to the dead-letter queue anyway (RUL-8).
  void TakeDeadCopy(std::shared_ptr<StoredMessage> copy, std::string reason,
                    std::string description, Timestamp now, Changes& changes);
  // Where the messages of a lane go; nothing: they wait for receivers.
  const std::optional<std::string>& forwards_to(LaneKind kind) const {
    return ForwardsTo(description(), kind);
  }
  // Moves the head, which must be there, to the target of its lane; `target` may be the reason why
  // there is none. `known` is that of the target, and has the head's id.
  Forwarded ForwardHead(LaneKind kind, const Result<Queue*>& target, KnownIds& known, Timestamp now,
                        Changes& changes);

  // Empties a lane, and what is scheduled if asked (PRG-1). How many messages that were.
  std::int64_t Purge(LaneKind kind, std::uint8_t next_generation, bool with_scheduled,
                     Timestamp now, Changes& changes);

  // Sends a dead letter, as it was found, to the end of `target`, which may be this queue (RDR-1).
  // Refused: it stays (RDR-2).
  Status Redrive(const FoundMessage& found, Queue& target, Timestamp now, Changes& changes);

  // Scheduled messages: all of them or none (SCH-4). `found` has those that are there.
  Status CancelScheduled(const std::vector<SequenceNumber>& numbers, const Contents& found,
                         Timestamp now, Changes& changes);
  Status Reschedule(const std::vector<SequenceNumber>& numbers, Timestamp time,
                    const Contents& found, Timestamp now, Changes& changes);
  // Each gets a new number, as if it had been sent now (SCH-5).
  Result<std::vector<SequenceNumber>> Activate(const std::vector<SequenceNumber>& numbers,
                                               const Contents& found, Timestamp now,
                                               Changes& changes);

  // Transactions. Each check says what the request of its name would say, and changes nothing; what
  // was checked does not fail in the same turn, whatever else was checked with it. `bytes_more`:
  // what the entity gets before.
  Status CheckSends(const std::vector<Message>& messages, std::int64_t bytes_more,
                    Timestamp now) const;
  // Stores what CheckSends let pass.
  std::vector<SendOutcome> AcceptAll(std::vector<Message> messages, KnownIds& known, Timestamp now,
                                     Changes& changes);

 private:
  Status CheckSend() const;
  // TOP-3.
  Status CheckTaker(const Message& message, Timestamp now) const;
  Status CheckOne(const Message& message, Timestamp now) const;
  Status CheckBatch(const std::vector<Message>& messages, Timestamp now) const;
  SendOutcome Accept(Message message, const std::optional<BodyRef>& uploaded, KnownIds& known,
                     Timestamp now, Changes& changes);
  std::shared_ptr<StoredMessage> Store(Message message, const std::optional<BodyRef>& uploaded,
                                       bool is_scheduled, Timestamp now);
  // Its new number.
  SequenceNumber ActivateOne(const MessagePtr& scheduled, Timestamp now, Changes& changes);
  // A message that was just accepted enters: the lane, or a topic's outlet.
  void Enter(std::shared_ptr<StoredMessage> stored, Timestamp now, Changes& changes);

  // What another entity gives up when it forwards a message.
  using Departure = MessagePublished::Origin;
  std::shared_ptr<StoredMessage> PrepareForward(LaneKind kind, const FoundMessage& head) const;
  std::optional<DeadLetterNote> RefusalOf(const StoredMessage& arriving, Timestamp now) const;
  void Arrive(std::shared_ptr<StoredMessage> arriving, const Departure& departure, KnownIds& known,
              Timestamp now, Changes& changes);
  Forwarded KeepHead(LaneKind kind, const DeadLetterNote& note, Changes& changes);
  static void CountRedrive(PropertyMap& properties);

  const QueueLimits& limits_;
  Random& random_;
  EntityRecord record_;
  Lanes lanes_;
  Placement placement_;
  Quota quota_;
  Duplicates duplicates_;
  DeadLetters dead_letters_;
  Expiry expiry_;
  Holds holds_;
  Redelivery redelivery_;
  Settling settling_;
  Receiving receiving_;
  ByNumber by_number_;
  Sessions sessions_;
  SessionStates session_states_;
  // Null unless it is a topic.
  Outlet* outlet_ = nullptr;
};

}  // namespace wharf
