// Queue: decides what happens to the messages of one queue and of its dead-letter queue.
//
// Each request is checked against the rules and answered with changes, which the queue takes at
// once, or with a Status, and then nothing has changed. No disk, no clock, no thread: `now` comes
// as a parameter, and what must be read first is said so (NeedsContent). Owned by the Catalog, used
// on the shard's thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "broker/core/lane.h"
#include "storage/base/random.h"

namespace wharf {

enum class ReceiveMode : std::uint8_t { kPeekLock, kReceiveAndDelete };

// A message on its way to a receiver.
struct Delivered {
  MessagePtr message;
  Delivery delivery;
  // Zero and kNever with receive-and-delete.
  LockToken token;
  Timestamp until = kNever;
};

enum class SettleVerb : std::uint8_t { kComplete, kAbandon, kDeadLetter, kRelease };

// What a receiver wants done with a message that it holds.
struct Settlement {
  SettleVerb verb = SettleVerb::kComplete;
  // Abandon and dead-letter: application properties to set (STL-7).
  PropertyMap properties_to_modify{};
  // Dead-letter.
  std::optional<std::string> reason{};
  std::optional<std::string> description{};
};

// Checks what can be checked without the message (STL-8).
Status CheckSettlement(const Settlement& settlement);

// Content that was read because NeedsContent asked for it.
using Contents = absl::flat_hash_map<SequenceNumber, MessagePtr>;

struct QueueLimits {
  // Per lane; further receives wait (LCK-13).
  std::size_t locked_messages_max = 100000;
  WindowLimits window{};
};

class Queue {
 public:
  // What is loaded at start.
  struct Image {
    EntityRecord record;
    Lane::Image main;
    Lane::Image dead_letter;
  };

  Queue(Image image, const QueueLimits& limits);

  const EntityRecord& record() const { return record_; }
  const QueueDescription& description() const { return record_.description; }
  // Bytes of both lanes, as they count toward the quota (DLQ-8).
  std::int64_t bytes() const;
  Lane& lane(LaneKind kind) { return kind == LaneKind::kMain ? main_ : dead_letter_; }
  const Lane& lane(LaneKind kind) const { return kind == LaneKind::kMain ? main_ : dead_letter_; }

  void Update(QueueDescription description, Timestamp now, Changes& changes);

  // One result a message. With `atomic` either every message gets a number, or the status says why
  // none did.
  Result<std::vector<Result<SequenceNumber>>> Send(std::vector<Message> messages, bool atomic,
                                                   Timestamp now, Changes& changes);

  // A message whose large body comes apart from it. Checked before its body is there...
  Status CheckSendLarge(const Message& message, std::uint64_t body_bytes, Timestamp now) const;
  // ...and sent when `body` is in rows of its own.
  Result<SequenceNumber> SendLarge(Message message, const BodyRef& body, Timestamp now,
                                   Changes& changes);

  // Whether a receiver may wait on the lane.
  Status CheckReceive() const;
  // Whether the limit of locked messages leaves room for another (LCK-13).
  bool CanLockMore(LaneKind kind) const;
  // Whether the lane has a message in memory that a receiver could get now.
  bool CanDeliver(LaneKind kind) const;
  // Hands out the head of the lane. CanDeliver must be true.
  Delivered Deliver(LaneKind kind, ReceiveMode mode, HolderId holder, Timestamp now, Random& random,
                    Changes& changes);

  // The message whose content must be read before Settle, if any.
  std::optional<SequenceNumber> NeedsContent(LaneKind kind, const LockToken& token,
                                             const Settlement& settlement, Timestamp now) const;
  // `contents` has what NeedsContent asked for.
  Status Settle(LaneKind kind, const LockToken& token, const Settlement& settlement,
                const Contents& contents, Timestamp now, Changes& changes);
  // Until when the lock holds now.
  Result<Timestamp> RenewLock(LaneKind kind, const LockToken& token, Timestamp now,
                              Changes& changes);

  // Ends locks whose time is over, up to `count_max`. Returns those that need content first; they
  // are left to ExpireLock.
  std::vector<LockToken> ExpireLocks(LaneKind kind, Timestamp now, std::size_t count_max,
                                     Changes& changes);
  // False if the lock should end and cannot, because its content is not in `contents`.
  bool ExpireLock(LaneKind kind, const LockToken& token, const Contents& contents, Timestamp now,
                  Changes& changes);

 private:
  struct DeadLetterNote {
    std::optional<std::string> reason;
    std::optional<std::string> description;
  };

  Status CheckSend() const;
  Status CheckSize(std::int64_t size) const;
  Status CheckOne(const Message& message, Timestamp now) const;
  Status CheckBatch(const std::vector<Message>& messages, Timestamp now) const;
  Status Full() const;
  SequenceNumber Enqueue(Message message, const std::optional<BodyRef>& uploaded, Timestamp now,
                         Changes& changes);
  // Whether one more failed delivery ends in the dead-letter queue (MAX-2).
  bool IsLastAttempt(LaneKind kind, const Lock& lock) const;
  void Abandon(LaneKind kind, const LockToken& token, const PropertyMap& properties,
               ReturnCause cause, const Contents& contents, Changes& changes);
  void DeadLetter(const LockToken& token, std::uint32_t delivery_count,
                  const PropertyMap& properties, const DeadLetterNote& note,
                  const Contents& contents, Changes& changes);

  const QueueLimits& limits_;
  EntityRecord record_;
  Lane main_;
  Lane dead_letter_;
};

}  // namespace wharf
