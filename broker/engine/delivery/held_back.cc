#include "broker/engine/delivery/held_back.h"

namespace wharf {

void HeldBack::Add(HolderId stream, LaneId lane, HolderId connection) {
  const auto [place, is_new] = places_.try_emplace(stream, Place{0, lane, connection});
  if (is_new) place->second.ticket = ++last_ticket_;
  const Ticket ticket = place->second.ticket;
  lines_[{lane, HolderId()}].streams.emplace(ticket, stream);
  lines_[{LaneId(), connection}].streams.emplace(ticket, stream);
}

void HeldBack::Remove(HolderId stream) {
  const auto place = places_.find(stream);
  if (place == places_.end()) return;
  StepOut(place->second);
  places_.erase(place);
}

void HeldBack::StepOut(const Place& place) {
  Leave({place.lane, HolderId()}, place.ticket);
  Leave({LaneId(), place.connection}, place.ticket);
}

void HeldBack::Leave(const Room& room, Ticket ticket) {
  const auto line = lines_.find(room);
  if (line == lines_.end()) return;
  line->second.streams.erase(ticket);
  if (line->second.streams.empty() && !line->second.has_round) lines_.erase(line);
}

// Room that comes before the round has woken a stream is room for this round.
void HeldBack::NoteRoom(const Room& room) {
  const auto line = lines_.find(room);
  if (line == lines_.end()) return;
  if (!line->second.has_round) {
    BeginRound(room, line->second);
  } else if (line->second.woken > 0) {
    line->second.has_another = true;
  }
}

void HeldBack::BeginRound(const Room& room, Line& line) {
  line.has_round = true;
  line.has_another = false;
  line.woken = 0;
  line.last = line.streams.rbegin()->first;
  rounds_.push_back(room);
}

std::optional<HolderId> HeldBack::TakeNext() {
  while (!rounds_.empty()) {
    const std::optional<HolderId> next = NextOf(lines_.at(rounds_.front()));
    if (!next) {
      EndRound();
      continue;
    }
    StepOut(places_.at(*next));
    return next;
  }
  return std::nullopt;
}

std::optional<HolderId> HeldBack::NextOf(Line& line) {
  const auto next = line.streams.upper_bound(line.woken);
  if (next == line.streams.end() || next->first > line.last) return std::nullopt;
  line.woken = next->first;
  return next->second;
}

void HeldBack::EndRound() {
  const Room room = rounds_.front();
  rounds_.pop_front();
  const auto line = lines_.find(room);
  line->second.has_round = false;
  if (line->second.streams.empty()) {
    lines_.erase(line);
  } else if (line->second.has_another) {
    BeginRound(room, line->second);
  }
}

}  // namespace wharf
