// Placement: where a message stands in its entity: its number and partition, and the session or
// level that it waits in; and whether the message says what that depends on.
//
// Keeps whose turn it is of the partitions. Owned by a Queue, used on the shard's thread.
#pragma once

#include <optional>
#include <string_view>

#include "broker/core/changes/change.h"
#include "broker/core/order/partition.h"
#include "broker/core/queue/lane.h"
#include "storage/base/status.h"

namespace wharf {

class Placement {
 public:
  // Both outlive it; the main lane gives the numbers.
  Placement(const EntityRecord& record, Lane& main) : record_(record), main_(main) {}

  // Whether the message says what its place depends on (SND-8, PRI-1).
  Status Check(const Message& message) const;
  Status CheckSession(const Message& message) const;
  // Whether a partitioned entity takes both in one commit (PAR-5, TXN-19).
  Status CheckSameKey(const Message& first, const Message& other) const;
  // The same for a message that is sent in a transaction, also alone (TXN-19).
  Status CheckHasKey(const Message& message) const;

  // The message, which waits for a time to come or not, gets its number, and joins its session,
  // level or partition.
  void Take(StoredMessage& stored, bool is_scheduled = false);
  // A number alone: what becomes a dead letter joins nothing.
  SequenceNumber TakeNumber(const Message& message) {
    return main_.TakeNumber(PartitionFor(message));
  }
  // What was sent together is there. If messages without a key went to the partition whose turn it
  // was, it is that of the next now.
  void PassTurn();

 private:
  const QueueDescription& description() const { return record_.description; }
  // What decides on its partition; nothing: those without take turns (PAR-1).
  std::optional<std::string_view> KeyOf(const Message& message) const;
  PartitionId PartitionFor(const Message& message);

  const EntityRecord& record_;
  Lane& main_;
  // Where the next message without a key goes; nobody minds where that begins after a start.
  PartitionId turn_ = 0;
  bool is_turn_used_ = false;
};

}  // namespace wharf
