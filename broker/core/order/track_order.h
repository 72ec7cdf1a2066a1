// TrackOrder: by levels or partitions, several orders beside each other (tracks.h).
//
// Owned by a Lane, used on the shard's thread.
#pragma once

#include <cstddef>
#include <vector>

#include "broker/core/order/order.h"
#include "broker/core/order/tracks.h"

namespace wharf {

class TrackOrder final : public OpenOrder {
 public:
  // `is_empty`: nothing waits.
  TrackOrder(TrackKind kind, bool is_empty, const WindowLimits& limits)
      : tracks_(kind, is_empty, limits) {}

  Next next(const Session* session, const LaneCounters& counters) const override;
  ReadyHead Pop(Session* session, LaneCounters& counters) override;
  void AddFresh(const MessagePtr& message, const LaneCounters& counters, Changes& changes) override;
  void AddBack(ReturnedRow row, Standing standing, const LaneCounters& counters,
               Changes& changes) override;
  void Remove(SequenceNumber number, const MessageFacts& facts, Standing from,
              Changes& changes) override;
  void Purge(const Shelf& shelf, const LaneCounters& counters) override;
  const char* Contradiction(const LaneCounters& counters) const override {
    return tracks_.Contradiction(counters);
  }

  std::optional<Timestamp> oldest(const LaneCounters& /*counters*/) const override {
    return tracks_.oldest();
  }

  void PassNext() override { tracks_.PassHead(); }
  std::size_t passed() const override { return tracks_.passed(); }
  std::vector<MessagePtr> Ahead(std::size_t count_max) const override {
    return tracks_.Ahead(count_max);
  }
  MessageRun ReadyRun(Timestamp now, MessageRun::Between between,
                      const RunLimits& limits) const override {
    return tracks_.ReadyRun(now, between, limits);
  }
  void RemoveSpan(const Span& span, LaneCounters& counters) override;
  void DiscardReads() override { tracks_.DiscardReads(); }
  void Drop(const LaneCounters& counters) override;
  std::size_t bytes() const override { return tracks_.bytes(); }
  std::size_t messages() const override { return tracks_.messages(); }

  Tracks& tracks() { return tracks_; }

 private:
  Tracks tracks_;
};

}  // namespace wharf
