// SessionOrder: within the session that a receiver has chosen (session_book.h).
//
// Owned by a Lane, used on the shard's thread.
#pragma once

#include <utility>
#include <vector>

#include "broker/core/order/order.h"
#include "broker/core/order/session_book.h"

namespace wharf {

class SessionOrder final : public Order {
 public:
  SessionOrder(const Shelf& shelf, std::vector<LoadedSession> loaded, const SessionLimits& limits,
               SessionSerial last)
      : book_(shelf, std::move(loaded), limits, last) {}

  Next next(const Session* session, const LaneCounters& counters) const override;
  ReadyHead Pop(Session* session, LaneCounters& counters) override;
  void AddFresh(const MessagePtr& message, const LaneCounters& counters, Changes& changes) override;
  void AddBack(ReturnedRow row, Standing standing, const LaneCounters& counters,
               Changes& changes) override;
  void Remove(SequenceNumber number, const MessageFacts& facts, Standing from,
              Changes& changes) override;
  void Purge(const Shelf& shelf, const LaneCounters& counters) override;
  // How many wait in all sessions together is known by nothing in memory.
  const char* Contradiction(const LaneCounters& /*counters*/) const override { return nullptr; }

  // Nor which of them came first.
  std::optional<Timestamp> oldest(const LaneCounters& /*counters*/) const override { return {}; }

  SessionBook& book() { return book_; }

 private:
  SessionBook book_;
};

}  // namespace wharf
