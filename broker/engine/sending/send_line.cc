#include "broker/engine/sending/send_line.h"

#include <utility>

#include "broker/reading/message_reader.h"

namespace wharf {
namespace {

// What may stand in line, in all queues together.
constexpr std::size_t kWeightMax = 65536;
constexpr std::size_t kBytesMax = 64 * 1024 * 1024;
// What one look-up takes.
constexpr std::size_t kWeightPerStep = 4096;

}  // namespace

Status SendLine::CheckRoom(const Ticket& ticket) const {
  const bool has_room =
      weight_ == 0 || (weight_ + ticket.weight <= kWeightMax && bytes_ + ticket.bytes <= kBytesMax);
  if (has_room) return {};
  return {ErrorCode::kServiceBusy, "too many sends wait for their message ids to be looked up"};
}

void SendLine::Plan(const Queue& queue, Ticket ticket, Turn& turn) {
  if (!queue.description().requires_duplicate_detection) {
    KnownIds none;
    return std::move(ticket.send)(turn, &none);
  }
  if (Status busy = CheckRoom(ticket); !busy.ok()) return std::move(ticket.send)(turn, busy);
  const EntityId entity = queue.record().id;
  weight_ += ticket.weight;
  bytes_ += ticket.bytes;
  Line& line = lines_[entity];
  line.waiting.push_back(std::move(ticket));
  if (!line.is_reading) LookUp(entity, turn);
}

void SendLine::LookUp(EntityId entity, Turn& turn) {
  Line& line = lines_.at(entity);
  line.is_reading = true;
  std::deque<Ticket> tickets;
  std::vector<DuplicateId> ids;
  for (std::size_t weight = 0; !line.waiting.empty() && weight < kWeightPerStep;) {
    Ticket& ticket = line.waiting.front();
    weight += ticket.weight;
    ids.insert(ids.end(), ticket.ids.begin(), ticket.ids.end());
    tickets.push_back(std::move(ticket));
    line.waiting.pop_front();
  }
  auto begun = context_.catalog.BeginIdWatch(entity, ids);
  context_.reads.ReadAfter(turn,
                           [this, entity, watch = std::move(begun), ids = std::move(ids),
                            tickets = std::move(tickets)](const StoreView& view) mutable -> Task {
                             return [this, entity, watch = std::move(watch),
                                     tickets = std::move(tickets),
                                     known = ReadKnownIds(view, entity, ids)](Turn& later) mutable {
                               if (known.ok()) watch->AddTo(*known);
                               PlanAll(entity, std::move(tickets), std::move(known), later);
                             };
                           });
}

void SendLine::PlanAll(EntityId entity, std::deque<Ticket> tickets, Result<KnownIds> known,
                       Turn& turn) {
  for (Ticket& ticket : tickets) {
    weight_ -= ticket.weight;
    bytes_ -= ticket.bytes;
    std::move(ticket.send)(
        turn, known.ok() ? Result<KnownIds*>(&*known) : Result<KnownIds*>(known.status()));
  }
  Line& line = lines_.at(entity);
  line.is_reading = false;
  if (line.waiting.empty()) {
    lines_.erase(entity);
  } else {
    LookUp(entity, turn);
  }
}

}  // namespace wharf
