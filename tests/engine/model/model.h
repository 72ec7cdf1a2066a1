// ModelQueue: the semantics of a queue, small and obvious, to compare the broker with.
//
// Keeps every message in one list, looks at all of it for every question, and forgets nothing but
// what is gone. Used by ModelRun alone, and by WorldModel as one entity among others.
//
//   model.cc         locks and how they end, messages by their numbers, what is due
//   model_entry.cc   how messages enter: numbers, lives, ids, scheduled ones
//   model_order.cc   which message may be the next: levels and partitions
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/order/partition.h"
#include "broker/core/queue/queue.h"

namespace wharf {

// Stands for a text of the broker's own words.
inline constexpr char kSomeText[] = "*";

struct ModelMessage {
  std::uint64_t number = 0;
  std::string body;
  std::uint32_t delivery_count = 0;
  std::map<std::string, std::string> properties{};
  std::uint32_t priority = kPriorityDefault;
  std::optional<std::string> partition_key{};
  std::optional<std::string> message_id{};
  std::optional<Duration> time_to_live{};
  Timestamp enqueued_at{};
  Timestamp expires_at = kNever;
  // Locked while `token` is set.
  std::optional<LockToken> token{};
  Timestamp until{};
  bool is_deferred = false;
  // Rests until then.
  std::optional<Timestamp> available_at{};
  // Its time was over while it rested on its way to another entity, where that ends nothing, and
  // now it goes nowhere: whether anybody looks at it before it has rested is open, or known.
  enum class Look { kOnTime, kOpen, kWhenRested };
  Look look = Look::kOnTime;
  // Stays when it was activated, also before its time.
  std::optional<Timestamp> scheduled_for{};
  // Forwarding: how often, the number that it had first, and whose dead letter it was.
  std::uint32_t hops = 0;
  std::uint64_t enqueued_number = 0;
  std::string dead_letter_source{};
  // Rises with each change of a message of the queue.
  std::uint64_t changed = 0;

  bool is_waiting() const { return !token && !is_deferred; }
  bool is_available() const { return is_waiting() && !available_at; }
  friend bool operator==(const ModelMessage&, const ModelMessage&) = default;
};

struct ModelScheduled {
  ModelMessage message;
  Timestamp time;
  friend bool operator==(const ModelScheduled&, const ModelScheduled&) = default;
};

// What time has brought about, and the broker does by itself.
struct ModelDue {
  enum class What { kEndLock, kActivate, kExpire, kEndDelay };
  What what;
  LaneKind lane;
  std::uint64_t number;
  // When it was due.
  Timestamp time;
};

// What became of a send.
struct ModelSent {
  std::uint64_t number = 0;
  bool is_duplicate = false;
  // Of a duplicate: which original it had that is no longer scheduled.
  std::uint64_t gone = 0;
  friend bool operator==(const ModelSent&, const ModelSent&) = default;
};

class ModelQueue {
 public:
  using Lane = std::map<std::uint64_t, ModelMessage>;
  using Numbers = std::vector<std::uint64_t>;

  explicit ModelQueue(const QueueDescription& description);

  void Update(const QueueDescription& description, Timestamp now);
  const QueueDescription& description() const { return description_; }

  // Of what is due: nobody may look at it before it has rested.
  bool MayRest(const ModelDue& due) const;
  void LetRest(const ModelDue& due);

  // As the broker is told it.
  static ModelMessage MessageOf(const Message& message);
  ModelSent Send(const Message& message, Timestamp now) {
    return Enter(MessageOf(message), message.scheduled_enqueue_time.value_or(now), now);
  }
  // Sent or forwarded: checked for duplicates (DUP-4, DUP-9), and then stored or scheduled.
  ModelSent Enter(ModelMessage message, Timestamp time, Timestamp now);
  // Stored as it is, at the end of the queue; its number.
  std::uint64_t Append(ModelMessage message, Timestamp now);
  // The same in the dead-letter queue.
  void AppendDead(ModelMessage message, const std::string& reason, Timestamp now);
  // After messages without a key the next one goes to the next partition.
  void PassTurn();
  // Memory is gone: turns begin anew.
  void Restart();
  // How many messages can be received now, and which of them may be the next.
  std::size_t CountAvailable(LaneKind kind) const;
  Numbers AllowedNext(LaneKind kind) const;
  // Its own time is over.
  bool HasLivedOut(LaneKind kind, const ModelMessage& message, Timestamp now) const;
  // A message was delivered out of those.
  void NoteDelivery(LaneKind kind, std::uint64_t number);
  // Null if there is no such message.
  ModelMessage* Find(LaneKind kind, std::uint64_t number);
  void Lock(LaneKind kind, std::uint64_t number, const LockToken& token, Timestamp until);
  void Remove(LaneKind kind, std::uint64_t number) { lane(kind).erase(number); }

  // The message that the token locks, if it still does.
  ModelMessage* Locked(LaneKind kind, const LockToken& token, Timestamp now);
  // Whether it worked.
  bool Settle(LaneKind kind, const LockToken& token, const Settlement& settlement, Timestamp now);
  bool Renew(LaneKind kind, const LockToken& token, Timestamp now);
  // What is due by then. Locks end, and then the rest follows in the order of times.
  std::vector<ModelDue> Due(Timestamp now) const;
  void Do(const ModelDue& due, Timestamp now);
  void PassTime(Timestamp now);

  // Whether all of them can be received by number now; expired ones go.
  bool TakeDeferred(LaneKind kind, const Numbers& numbers, Timestamp now);
  bool Undefer(LaneKind kind, const Numbers& numbers, Timestamp now);
  bool DeadLetterOne(LaneKind kind, std::uint64_t number, const std::string& reason);
  void DeadLetter(std::uint64_t number, const std::optional<std::string>& reason,
                  const std::optional<std::string>& description);
  // How many it deleted.
  std::int64_t DeleteOldest(LaneKind kind, std::int64_t count, Timestamp before);
  std::int64_t Purge(LaneKind kind, bool with_scheduled);
  bool CancelScheduled(const Numbers& numbers);
  bool Reschedule(const Numbers& numbers, Timestamp time, Timestamp now);
  bool Activate(const Numbers& numbers, Timestamp now);
  // Sends every dead letter back that nobody holds; how many.
  std::int64_t Redrive(Timestamp now);
  // A dead letter, as it sets out from there: without its reason, and counted.
  static ModelMessage Redriven(const ModelMessage& dead);

  const Lane& messages(LaneKind kind) const {
    return kind == LaneKind::kMain ? main_ : dead_letter_;
  }
  const std::map<std::uint64_t, ModelScheduled>& scheduled() const { return scheduled_; }
  std::uint64_t next_number(PartitionId partition = 0) const { return next_numbers_[partition]; }
  // Of the last change of a message.
  std::uint64_t changed() const { return changed_; }

  friend bool operator==(const ModelQueue&, const ModelQueue&) = default;

 private:
  struct RememberedId {
    std::uint64_t number = 0;
    Timestamp forget_after;
    bool was_scheduled = false;
    friend bool operator==(const RememberedId&, const RememberedId&) = default;
  };
  enum class End { kFailed, kReleased, kDeferred };
  // The lowest available of each level, the highest first.
  using Heads = std::map<std::uint32_t, std::uint64_t, std::greater<>>;

  Lane& lane(LaneKind kind) { return kind == LaneKind::kMain ? main_ : dead_letter_; }
  void StartLife(ModelMessage& message, Timestamp now) const;
  std::uint64_t TakeNumber(PartitionId partition) { return next_numbers_[partition]++; }
  bool DetectsDuplicateOf(const ModelMessage& message) const;
  PartitionId PartitionFor(const ModelMessage& message);
  std::string IdOf(const ModelMessage& message) const;
  Heads HeadsOfLevels() const;
  // The lowest number below the highest level; nothing if none is available there.
  static std::optional<std::uint64_t> OldestBelow(const Heads& heads);
  void NoteChange(ModelMessage& message) { message.changed = ++changed_; }
  void ActivateOne(std::uint64_t number, Timestamp now);
  bool HasAllScheduled(const Numbers& numbers) const;
  void EndLock(LaneKind kind, ModelMessage& message, End end, std::optional<Timestamp> available_at,
               Timestamp now);
  // True if its time to live is over; then it is gone from the main lane.
  bool Expire(LaneKind kind, std::uint64_t number, Timestamp now);

  QueueDescription description_;
  std::array<std::uint64_t, kPartitions> next_numbers_{};
  PartitionId free_partition_ = 0;
  bool is_turn_used_ = false;
  // Levels: deliveries in a row that passed over a lower one, and all since that was served.
  int passed_over_ = 0;
  int since_lower_ = 0;
  Lane main_;
  Lane dead_letter_;
  std::map<std::uint64_t, ModelScheduled> scheduled_;
  std::map<std::string, RememberedId> ids_;
  std::uint64_t changed_ = 0;
};

}  // namespace wharf
