// Model: the semantics of a queue, small and obvious, to compare the broker with.
//
// Keeps every message in one list, looks at all of it for every question, and forgets nothing but
// what is gone.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/partition.h"
#include "broker/core/queue.h"

namespace wharf {

struct ModelMessage {
  std::uint64_t number = 0;
  std::string body;
  std::uint32_t delivery_count = 0;
  std::map<std::string, std::string> properties{};
  std::uint32_t priority = kPriorityDefault;
  // Of a message of a partitioned queue.
  std::optional<std::string> partition_key{};
  std::optional<Duration> time_to_live{};
  Timestamp enqueued_at{};
  Timestamp expires_at = kNever;
  // Locked while `token` is set.
  std::optional<LockToken> token{};
  Timestamp until{};
  bool is_deferred = false;
  // Rests until then.
  std::optional<Timestamp> available_at{};

  bool is_waiting() const { return !token && !is_deferred; }
  bool is_available() const { return is_waiting() && !available_at; }
};

struct ModelScheduled {
  ModelMessage message;
  Timestamp time;
};

// What became of a send.
struct ModelSent {
  std::uint64_t number = 0;
  bool is_duplicate = false;
};

class ModelQueue {
 public:
  using Lane = std::map<std::uint64_t, ModelMessage>;
  using Numbers = std::vector<std::uint64_t>;

  explicit ModelQueue(const QueueDescription& description);

  void Update(const QueueDescription& description) { description_ = description; }
  const QueueDescription& description() const { return description_; }

  ModelSent Send(const Message& message, Timestamp now);
  // After messages without a key the next one goes to the next partition.
  void PassTurn();
  // Memory is gone: turns begin anew.
  void Restart();
  // How many messages can be received now, and which of them may be the next.
  std::size_t CountAvailable(LaneKind kind) const;
  Numbers AllowedNext(LaneKind kind) const;
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
  // Locks end, and then what is due is done in the order of times.
  void PassTime(Timestamp now);

  // Whether all of them can be received by number now; expired ones go.
  bool TakeDeferred(LaneKind kind, const Numbers& numbers, Timestamp now);
  bool Undefer(LaneKind kind, const Numbers& numbers, Timestamp now);
  bool DeadLetterOne(LaneKind kind, std::uint64_t number, const std::string& reason);
  // How many it deleted.
  std::int64_t DeleteOldest(LaneKind kind, std::int64_t count, Timestamp before);
  std::int64_t Purge(LaneKind kind, bool with_scheduled);
  bool CancelScheduled(const Numbers& numbers);
  bool Reschedule(const Numbers& numbers, Timestamp time, Timestamp now);
  bool Activate(const Numbers& numbers, Timestamp now);
  // Sends every dead letter back that nobody holds; how many.
  std::int64_t Redrive(Timestamp now);

  const Lane& messages(LaneKind kind) const {
    return kind == LaneKind::kMain ? main_ : dead_letter_;
  }
  const std::map<std::uint64_t, ModelScheduled>& scheduled() const { return scheduled_; }
  std::uint64_t next_number(PartitionId partition = 0) const { return next_numbers_[partition]; }

 private:
  struct RememberedId {
    std::uint64_t number = 0;
    Timestamp forget_after;
    bool was_scheduled = false;
  };
  enum class End { kFailed, kReleased, kDeferred };
  // The lowest available of each level, the highest first.
  using Heads = std::map<std::uint32_t, std::uint64_t, std::greater<>>;

  Lane& lane(LaneKind kind) { return kind == LaneKind::kMain ? main_ : dead_letter_; }
  void StartLife(ModelMessage& message, Timestamp now) const;
  std::uint64_t TakeNumber(PartitionId partition) { return next_numbers_[partition]++; }
  PartitionId PartitionFor(const ModelMessage& message);
  std::string IdOf(const Message& message) const;
  Heads HeadsOfLevels() const;
  // The lowest number below the highest level; nothing if none is available there.
  static std::optional<std::uint64_t> OldestBelow(const Heads& heads);
  std::uint64_t Append(ModelMessage message, Timestamp now);
  void ActivateOne(std::uint64_t number, Timestamp now);
  bool HasAllScheduled(const Numbers& numbers) const;
  void EndLock(LaneKind kind, ModelMessage& message, End end, std::optional<Timestamp> available_at,
               Timestamp now);
  // True if its time to live is over; then it is gone from the main lane.
  bool Expire(LaneKind kind, std::uint64_t number, Timestamp now);
  void DeadLetter(std::uint64_t number, const std::optional<std::string>& reason,
                  const std::optional<std::string>& description);

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
};

}  // namespace wharf
