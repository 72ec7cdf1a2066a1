#include "broker/core/order/track_order.h"

#include <utility>

namespace wharf {

Order::Next TrackOrder::next(const Session* /*session*/, const LaneCounters& /*counters*/) const {
  const WaitingMessage* head = tracks_.head();
  if (head == nullptr) return {};
  return {&head->message, &head->delivery, head->standing};
}

ReadyHead TrackOrder::Pop(Session* /*session*/, LaneCounters& /*counters*/) {
  WaitingMessage head = tracks_.PopHead();
  return {std::move(head.message), std::move(head.delivery), head.standing};
}

void TrackOrder::AddFresh(const MessagePtr& message, const LaneCounters& /*counters*/,
                          Changes& /*changes*/) {
  tracks_.Add({message->number, Delivery(), message->facts, Standing::kFresh, message});
}

// What waits for the end of its delay holds nobody back.
void TrackOrder::AddBack(ReturnedRow row, Standing standing, const LaneCounters& /*counters*/,
                         Changes& /*changes*/) {
  if (standing != Standing::kReturned) return;
  tracks_.Add({row.number, std::move(row.delivery), std::move(row.facts), standing, nullptr});
}

void TrackOrder::Remove(SequenceNumber number, const MessageFacts& facts, Standing from,
                        Changes& /*changes*/) {
  if (from == Standing::kFresh || from == Standing::kReturned) tracks_.Remove(number, facts);
}

void TrackOrder::Purge(const Shelf& /*shelf*/, const LaneCounters& /*counters*/) {
  tracks_.RemoveAll();
}

void TrackOrder::RemoveSpan(const Span& span, LaneCounters& /*counters*/) {
  tracks_.RemoveSpan(span);
}

void TrackOrder::Drop(const LaneCounters& /*counters*/) { tracks_.Drop(); }

}  // namespace wharf
