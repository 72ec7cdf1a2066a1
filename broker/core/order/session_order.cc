#include "broker/core/order/session_order.h"

namespace wharf {

Order::Next SessionOrder::next(const Session* session, const LaneCounters& /*counters*/) const {
  const WaitingMessage* head = session == nullptr ? nullptr : session->window().deliverable();
  if (head == nullptr) return {};
  return {&head->message, &head->delivery, head->standing};
}

ReadyHead SessionOrder::Pop(Session* session, LaneCounters& /*counters*/) {
  WaitingMessage head = book_.PopFirst(*session);
  return {std::move(head.message), std::move(head.delivery), head.standing};
}

void SessionOrder::AddFresh(const MessagePtr& message, const LaneCounters& /*counters*/,
                            Changes& changes) {
  book_.Add({message->number, Delivery(), message->facts, Standing::kFresh, message}, changes);
}

// What waits for the end of its delay holds those behind it back (RTY-5).
void SessionOrder::AddBack(ReturnedRow row, Standing standing, const LaneCounters& /*counters*/,
                           Changes& changes) {
  book_.Add({row.number, std::move(row.delivery), std::move(row.facts), standing, nullptr},
            changes);
}

void SessionOrder::Remove(SequenceNumber number, const MessageFacts& facts, Standing from,
                          Changes& changes) {
  book_.Remove(facts.session_id, number, from, changes);
}

void SessionOrder::Purge(const Shelf& shelf, const LaneCounters& /*counters*/) {
  book_.Purge(shelf);
}

}  // namespace wharf
