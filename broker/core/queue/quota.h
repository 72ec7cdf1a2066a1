// Quota: how much an entity holds, and whether it may hold more.
//
// Owned by a Queue, used on the shard's thread.
#pragma once

#include <cstdint>

#include "broker/core/changes/change.h"
#include "broker/core/queue/lane.h"
#include "broker/core/queue/outlet.h"
#include "storage/base/status.h"

namespace wharf {

class Quota {
 public:
  // All that it is made with outlives it.
  Quota(const EntityRecord& record, Lane& main, Lane& dead_letter)
      : record_(record), main_(main), dead_letter_(dead_letter) {}
  ~Quota() {
    CountInto(nullptr);
    CountIntoNamespace(nullptr);
  }
  Quota(const Quota&) = delete;
  Quota& operator=(const Quota&) = delete;

  // It is a topic: its copies count, too (TOP-4).
  void CountCopies(const Outlet& outlet) { outlet_ = &outlet; }
  // Bytes of both lanes and of scheduled messages (DLQ-8, SCH-10).
  std::int64_t bytes() const;
  // From now on those of both lanes are part of `total`, which is so always right without being
  // asked for, and outlives it; null: no more.
  void CountInto(std::int64_t* total);
  // The same of the namespace's, which outlives it.
  void CountIntoNamespace(NamespaceSize* size);

  // QuotaExceeded if, with `bytes_more` in it, the entity takes nothing more (QUO-1).
  Status CheckRoom(std::int64_t bytes_more = 0) const;
  // QuotaExceeded if the namespace is full, or `bytes_more` are too many for it (QUO-4). What only
  // moves, or comes to be inside the broker, does not ask.
  Status CheckNamespace(std::int64_t bytes_more) const;
  // MessageSizeExceeded if one message is larger than it takes.
  Status CheckSize(std::int64_t size) const;

 private:
  // A subscription's bytes are its topic's (TOP-4), which looks at them when it takes a message.
  bool is_counted_elsewhere() const { return record_.kind == EntityKind::kSubscription; }

  const EntityRecord& record_;
  Lane& main_;
  Lane& dead_letter_;
  // Null unless it is a topic.
  const Outlet* outlet_ = nullptr;
};

}  // namespace wharf
