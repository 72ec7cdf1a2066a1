#include "broker/core/order/cursor_order.h"

#include <algorithm>

namespace wharf {

Order::Next CursorOrder::next(const Session* /*session*/, const LaneCounters& counters) const {
  const ReadyHead* head = window_.head(counters);
  if (head == nullptr) return {};
  return {&head->message, &head->delivery, head->from};
}

// What was passed is lower than the head.
std::optional<Timestamp> CursorOrder::oldest(const LaneCounters& counters) const {
  const ReadyHead* head = window_.head(counters);
  if (head == nullptr || window_.passed() > 0) return std::nullopt;
  return head->message->enqueued_at;
}

ReadyHead CursorOrder::Pop(Session* /*session*/, LaneCounters& counters) {
  ReadyHead head = window_.PopHead(counters);
  if (head.from == Standing::kFresh) counters.cursor = head.message->number.Next();
  return head;
}

void CursorOrder::AddFresh(const MessagePtr& message, const LaneCounters& counters,
                           Changes& /*changes*/) {
  window_.AddFresh(message, counters);
}

// What waits for the end of its delay holds nobody back.
void CursorOrder::AddBack(ReturnedRow row, Standing standing, const LaneCounters& counters,
                          Changes& /*changes*/) {
  if (standing == Standing::kReturned) window_.AddReturned(std::move(row), counters);
}

void CursorOrder::Remove(SequenceNumber number, const MessageFacts& /*facts*/, Standing from,
                         Changes& /*changes*/) {
  if (from == Standing::kFresh || from == Standing::kReturned) window_.Remove(number, from);
}

void CursorOrder::RemoveSpan(const Span& span, LaneCounters& counters) {
  window_.RemoveSpan(span, counters);
  counters.cursor = std::max(counters.cursor, window_.lowest_fresh());
}

void CursorOrder::Purge(const Shelf& /*shelf*/, const LaneCounters& counters) {
  window_.Drop(counters);
}

}  // namespace wharf
