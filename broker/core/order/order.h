// Order: what waits in a lane, and which of it is delivered next.
//
//   CursorOrder    by number, from a cursor upwards
//   TrackOrder     several beside each other: levels, or partitions
//   SessionOrder   within the session that a receiver has chosen
//
// A lane has one, made with it. Choosing a session, and what to read, is the business of parts that
// know its kind. Counters are the lane's, before the change that is being made unless it says
// otherwise. Owned by a Lane, used on the shard's thread.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "broker/core/changes/change.h"
#include "broker/core/order/session_book.h"
#include "broker/core/queue/message_run.h"

namespace wharf {

class Order {
 public:
  // The next message as it stands, until something changes; `message` is null if there is none.
  struct Next {
    const MessagePtr* message = nullptr;
    const Delivery* delivery = nullptr;
    Standing standing = Standing::kFresh;
  };

  Order() = default;
  virtual ~Order() = default;
  Order(const Order&) = delete;
  Order& operator=(const Order&) = delete;

  // What the next receiver gets: of the session that it has chosen, where there are sessions; if it
  // has chosen none, nothing. Nothing, too, if there is none to deliver or it must be read first.
  virtual Next next(const Session* session, const LaneCounters& counters) const = 0;
  // Takes it out. There must be one.
  virtual ReadyHead Pop(Session* session, LaneCounters& counters) = 0;

  // A message that was never delivered waits from now on, behind all others.
  virtual void AddFresh(const MessagePtr& message, const LaneCounters& counters,
                        Changes& changes) = 0;
  // One that was, or was moved here, waits again or, if `standing` is kDelayed, for the end of its
  // delay.
  virtual void AddBack(ReturnedRow row, Standing standing, const LaneCounters& counters,
                       Changes& changes) = 0;
  // It does not any more; `from` is where it stood.
  virtual void Remove(SequenceNumber number, const MessageFacts& facts, Standing from,
                      Changes& changes) = 0;
  // The lane was purged, and its rows are on this shelf now; `counters` are those after it.
  virtual void Purge(const Shelf& shelf, const LaneCounters& counters) = 0;

  // When the lowest message that waits came. Nothing: none does, or it is not in memory.
  virtual std::optional<Timestamp> oldest(const LaneCounters& counters) const = 0;

  // What it holds that the counters, as they are now, cannot say; null if they agree. Costs a few
  // comparisons.
  virtual const char* Contradiction(const LaneCounters& counters) const = 0;
};

// An order of which everything waits for the same receivers, so that it can be forwarded, and whose
// memory is one window that can be dropped.
class OpenOrder : public Order {
 public:
  // What would be next, a returned message, stays where it is, and what comes behind it is next,
  // until the window is dropped. Costs no memory.
  virtual void PassNext() = 0;
  // Messages that were passed so and are still there.
  virtual std::size_t passed() const = 0;
  // Messages that may be the next ones, as far as they are in memory.
  virtual std::vector<MessagePtr> Ahead(std::size_t count_max) const = 0;

  // The next messages, as far as they are in memory, were never delivered, and can go together.
  // `between`: what is known of numbers that are not in memory.
  virtual MessageRun ReadyRun(Timestamp now, MessageRun::Between between,
                              const RunLimits& limits) const = 0;
  // What the span covers was counted out, and `counters` say so already; the cursor, if there is
  // one, goes behind what is gone.
  virtual void RemoveSpan(const Span& span, LaneCounters& counters) = 0;
  // What is being read may hold what was counted out, and no span tells of it any more: it is read
  // again.
  virtual void DiscardReads() = 0;

  // Frees the memory; what was in it is read again when it is wanted.
  virtual void Drop(const LaneCounters& counters) = 0;
  // Of the messages in memory, and how many they are.
  virtual std::size_t bytes() const = 0;
  virtual std::size_t messages() const = 0;
};

}  // namespace wharf
