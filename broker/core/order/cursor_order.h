// CursorOrder: by number. What was never delivered is read from a cursor upwards.
//
// Owned by a Lane, used on the shard's thread.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "broker/core/order/order.h"
#include "broker/core/order/ready_window.h"

namespace wharf {

class CursorOrder final : public OpenOrder {
 public:
  // For a lane as it was loaded.
  CursorOrder(const LaneCounters& counters, const WindowLimits& limits)
      : window_(counters, limits) {}

  Next next(const Session* session, const LaneCounters& counters) const override;
  ReadyHead Pop(Session* session, LaneCounters& counters) override;
  void AddFresh(const MessagePtr& message, const LaneCounters& counters, Changes& changes) override;
  void AddBack(ReturnedRow row, Standing standing, const LaneCounters& counters,
               Changes& changes) override;
  void Remove(SequenceNumber number, const MessageFacts& facts, Standing from,
              Changes& changes) override;
  void Purge(const Shelf& shelf, const LaneCounters& counters) override;
  const char* Contradiction(const LaneCounters& counters) const override {
    return window_.Contradiction(counters);
  }

  std::optional<Timestamp> oldest(const LaneCounters& counters) const override;

  void PassNext() override { window_.PassHead(); }
  std::size_t passed() const override { return window_.passed(); }
  std::vector<MessagePtr> Ahead(std::size_t count_max) const override {
    return window_.Ahead(count_max);
  }
  MessageRun ReadyRun(Timestamp now, MessageRun::Between between,
                      const RunLimits& limits) const override {
    return window_.ReadyRun(now, between, limits);
  }
  void RemoveSpan(const Span& span, LaneCounters& counters) override;
  void DiscardReads() override { window_.DiscardRead(); }
  void Drop(const LaneCounters& counters) override { window_.Drop(counters); }
  std::size_t bytes() const override { return window_.bytes(); }
  std::size_t messages() const override { return window_.messages(); }

  // What to read; then it is under way (ready_window.h).
  std::optional<WindowRead> NextRead(const LaneCounters& counters, bool is_wanted) {
    return window_.NextRead(counters, is_wanted);
  }
  // What could not be read.
  std::vector<UnreadableMessage> TakeRead(WindowBatch batch, const LaneCounters& counters) {
    return window_.Take(std::move(batch), counters);
  }
  // As in ready_window.h.
  std::optional<std::int64_t> AllFresh(const LaneCounters& counters) const {
    return window_.AllFresh(counters);
  }
  std::optional<std::int64_t> AllReturned() const { return window_.AllReturned(); }

 private:
  ReadyWindow window_;
};

}  // namespace wharf
