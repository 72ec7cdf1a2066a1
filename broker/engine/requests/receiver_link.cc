#include "broker/engine/requests/receiver_link.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "broker/engine/sending/loose_bodies.h"

namespace wharf {
namespace {

void AddTo(std::uint64_t& sum, std::uint64_t more) {
  sum += std::min(more, std::numeric_limits<std::uint64_t>::max() - sum);
}

// Takes from what was granted; the rest was there before.
void Take(std::uint64_t taken, std::uint64_t& granted, std::uint64_t& revoked) {
  const std::uint64_t of_granted = std::min(taken, granted);
  granted -= of_granted;
  AddTo(revoked, taken - of_granted);
}

}  // namespace

// Once bytes do not limit, they never do again.
void CreditChange::Grant(const Credit& credit) {
  AddTo(granted_.messages, credit.messages);
  if (!credit.bytes) {
    granted_.bytes.reset();
  } else if (granted_.bytes) {
    AddTo(*granted_.bytes, *credit.bytes);
  }
}

void CreditChange::Revoke(const Credit& credit) {
  Take(credit.messages, granted_.messages, revoked_.messages);
  if (granted_.bytes) Take(credit.bytes.value_or(0), *granted_.bytes, *revoked_.bytes);
}

template <typename Add>
void ReceiverLink::Say(Add add, std::size_t weight) {
  {
    MutexLock lock(mutex_);
    add(said_);
    if (std::exchange(is_on_its_way_, true)) return;
  }
  tasks_.Post([self = shared_from_this()](Turn& turn) { self->Hear(turn); }, weight);
}

void ReceiverLink::Grant(const Credit& credit) {
  Say([&](Said& said) { said.credit.Grant(credit); });
}

void ReceiverLink::Revoke(const Credit& credit) {
  Say([&](Said& said) { said.credit.Revoke(credit); });
}

// It ends with the turn that hears of it or a later one, and then all credit is handed back, also
// what was granted behind it. A drain that comes while one is under way is that one.
void ReceiverLink::Drain() {
  Say([](Said& said) { said.drains = true; });
}

void ReceiverLink::Stop() {
  Say([](Said& said) { said.stops = true; });
}

void ReceiverLink::Detach() {
  Say([](Said& said) { said.detaches = true; }, Turn::kEndingWeight);
}

void ReceiverLink::NoteWritten(std::size_t messages, std::int64_t bytes) {
  Say([&](Said& said) {
    said.written_messages += messages;
    said.written_bytes += bytes;
  });
}

void ReceiverLink::DropBody(const BodyRef& body) {
  Say([&](Said& said) { said.dropped_bodies.push_back(body); });
}

// The body goes also if its receiver has left.
void ReceiverLink::Hear(Turn& turn) {
  Said said;
  {
    MutexLock lock(mutex_);
    said = std::exchange(said_, {});
    is_on_its_way_ = false;
  }
  for (const BodyRef& body : said.dropped_bodies) LooseBodies::Drop(body, turn);
  if (said.written_messages > 0 || said.written_bytes > 0) {
    dispatcher_.NoteWritten(id_, said.written_messages, said.written_bytes);
    Touch();
  }
  Hear(said.credit, turn.now);
  if (said.drains) {
    NoteUse(turn.now);
    dispatcher_.Drain(id_);
    Touch();
  }
  if (said.stops) {
    NoteUse(turn.now);
    dispatcher_.Stop(id_, turn);
  }
  if (said.detaches) {
    Touch();
    dispatcher_.Detach(id_, turn.now);
  }
}

void ReceiverLink::Hear(const CreditChange& credit, Timestamp now) {
  if (credit.revokes()) {
    NoteUse(now);
    dispatcher_.Revoke(id_, credit.revoked());
  }
  if (credit.grants()) {
    dispatcher_.Grant(id_, credit.granted());
    Touch();
  }
}

void ReceiverLink::Touch() {
  const Receiver* receiver = dispatcher_.Find(id_);
  if (receiver != nullptr) context_.touched.Touch(receiver->options().lane);
}

// With credit it has used its entity until now (ADI-9); it may be about to lose it.
void ReceiverLink::NoteUse(Timestamp now) {
  const Receiver* receiver = dispatcher_.Find(id_);
  if (receiver == nullptr || !receiver->has_credit()) return;
  const LaneId lane = receiver->options().lane;
  Queue* queue = context_.catalog.Find(lane.entity);
  if (queue != nullptr) context_.touched.NoteUse(*queue, lane, now);
}

}  // namespace wharf
