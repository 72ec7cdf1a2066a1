#include "broker/engine/sending/send_line.h"

#include <iterator>
#include <utility>

#include "broker/engine/turn/acting.h"
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
  return {ErrorCode::kServiceBusy, "too many sends wait for those before them"};
}

bool SendLine::HasLine(const Queue& queue) const {
  return queue.description().requires_duplicate_detection || lines_.contains(queue.id());
}

void SendLine::Plan(const Queue& queue, Ticket ticket, Turn& turn) {
  if (!HasLine(queue)) {
    KnownIds none;
    return std::move(ticket.send)(turn, &none);
  }
  if (Status busy = CheckRoom(ticket); !busy.ok()) return std::move(ticket.send)(turn, busy);
  const EntityId entity = queue.id();
  weight_ += ticket.weight;
  bytes_ += ticket.bytes;
  ticket.actor = turn.actor();
  Line& line = lines_[entity];
  line.detects_duplicates = queue.description().requires_duplicate_detection;
  line.waiting.push_back(std::move(ticket));
  GoOn(entity, turn);
}

void SendLine::Hold(EntityId entity) { lines_[entity].is_held = true; }

void SendLine::Leave(EntityId entity, Turn& turn) {
  lines_.at(entity).is_held = false;
  GoOn(entity, turn);
}

// Any send may hold the line.
void SendLine::GoOn(EntityId entity, Turn& turn) {
  while (true) {
    Line& line = lines_.at(entity);
    if (line.is_held) return;
    if (line.waiting.empty()) {
      lines_.erase(entity);
      return;
    }
    if (line.detects_duplicates) return LookUp(entity, turn);
    if (turn.is_full()) return GoOnLater(entity);
    KnownIds none;
    PlanFirst(line.waiting, &none, turn);
  }
}

void SendLine::GoOnLater(EntityId entity) {
  Hold(entity);
  tasks_.Post([this, entity](Turn& later) { Leave(entity, later); });
}

void SendLine::LookUp(EntityId entity, Turn& turn) {
  Line& line = lines_.at(entity);
  line.is_held = true;
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
                               PlanFound(entity, std::move(tickets), std::move(known), later);
                             };
                           });
}

// The ids of those for which the turn has no room are looked up again: until then others of the
// same id may come.
void SendLine::PlanFound(EntityId entity, std::deque<Ticket> tickets, Result<KnownIds> known,
                         Turn& turn) {
  do {
    PlanFirst(tickets, known.ok() ? Result<KnownIds*>(&*known) : Result<KnownIds*>(known.status()),
              turn);
  } while (!tickets.empty() && !turn.is_full());
  std::deque<Ticket>& waiting = lines_.at(entity).waiting;
  waiting.insert(waiting.begin(), std::make_move_iterator(tickets.begin()),
                 std::make_move_iterator(tickets.end()));
  Leave(entity, turn);
}

void SendLine::PlanFirst(std::deque<Ticket>& tickets, Result<KnownIds*> known, Turn& turn) {
  Ticket ticket = std::move(tickets.front());
  tickets.pop_front();
  weight_ -= ticket.weight;
  bytes_ -= ticket.bytes;
  const Acting acting(turn, std::move(ticket.actor));
  std::move(ticket.send)(turn, std::move(known));
}

}  // namespace wharf
