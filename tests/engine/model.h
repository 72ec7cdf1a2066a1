// Model: the semantics of a queue, small and obvious, to compare the broker with.
//
// Keeps every message in one list, looks at all of it for every question, and forgets nothing but
// what is gone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "broker/core/queue.h"

namespace wharf {

struct ModelMessage {
  std::uint64_t number = 0;
  std::string body;
  std::uint32_t delivery_count = 0;
  std::map<std::string, std::string> properties;
  // Locked while `token` is set.
  std::optional<LockToken> token;
  Timestamp until;
};

class ModelQueue {
 public:
  explicit ModelQueue(const QueueDescription& description) : description_(description) {}

  void Update(const QueueDescription& description) { description_ = description; }
  const QueueDescription& description() const { return description_; }

  std::uint64_t Send(const std::string& body);
  // The numbers that a receiver of `count` messages gets now, lowest first.
  std::vector<std::uint64_t> Available(LaneKind kind, std::size_t count) const;
  ModelMessage& Find(LaneKind kind, std::uint64_t number) { return lane(kind).at(number); }
  void Lock(LaneKind kind, std::uint64_t number, const LockToken& token, Timestamp until);
  void Remove(LaneKind kind, std::uint64_t number) { lane(kind).erase(number); }

  // The message that the token locks, if it still does.
  ModelMessage* Locked(LaneKind kind, const LockToken& token, Timestamp now);
  // Whether it worked.
  bool Settle(LaneKind kind, const LockToken& token, const Settlement& settlement, Timestamp now);
  bool Renew(LaneKind kind, const LockToken& token, Timestamp now);
  void ExpireLocks(Timestamp now);

  const std::map<std::uint64_t, ModelMessage>& messages(LaneKind kind) const {
    return kind == LaneKind::kMain ? main_ : dead_letter_;
  }
  std::uint64_t next_number() const { return next_number_; }

 private:
  std::map<std::uint64_t, ModelMessage>& lane(LaneKind kind) {
    return kind == LaneKind::kMain ? main_ : dead_letter_;
  }
  void Fail(LaneKind kind, ModelMessage& message);
  void DeadLetter(std::uint64_t number, const std::optional<std::string>& reason,
                  const std::optional<std::string>& description);

  QueueDescription description_;
  std::uint64_t next_number_ = 1;
  std::map<std::uint64_t, ModelMessage> main_;
  std::map<std::uint64_t, ModelMessage> dead_letter_;
};

}  // namespace wharf
