// HeldBack: streams that may lock no more, until there is room again.
//
// Room comes on a lane, or for a connection; then all streams that were held back there are woken,
// in the order in which they were held back, as many at a time as the Dispatcher takes: a *round*.
// One that is woken and held back again before it got anything keeps its place; and because a round
// goes on behind the last one that it woke, it reaches each stream, however often room comes
// meanwhile. Owned by the Dispatcher, used on the shard's thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "broker/core/queue/lock_table.h"

namespace wharf {

class HeldBack {
 public:
  // `connection`: as Holders names it.
  void Add(HolderId stream, LaneId lane, HolderId connection);
  // It left, or got something: if it is held back again, it is the last.
  void Remove(HolderId stream);

  // All that are held back there may try again. While a round goes on, another one follows it.
  void NoteRoomOn(LaneId lane) { NoteRoom({lane, HolderId()}); }
  void NoteRoomFor(HolderId connection) { NoteRoom({LaneId(), connection}); }
  // The next that may try again; it is held back no more. Nothing: none may.
  std::optional<HolderId> TakeNext();
  bool has_next() const { return !rounds_.empty(); }

 private:
  // A lane, or a connection.
  using Room = std::pair<LaneId, HolderId>;
  // When a stream was held back first, since it last got something.
  using Ticket = std::uint64_t;

  struct Place {
    Ticket ticket;
    LaneId lane;
    HolderId connection;
  };
  struct Line {
    absl::btree_map<Ticket, HolderId> streams;
    bool has_round = false;
    bool has_another = false;
    // Of the round: which stream was woken last, and which will be.
    Ticket woken = 0;
    Ticket last = 0;
  };

  void NoteRoom(const Room& room);
  void BeginRound(const Room& room, Line& line);
  // Nothing: the round is over.
  static std::optional<HolderId> NextOf(Line& line);
  void EndRound();
  // Out of its lines.
  void StepOut(const Place& place);
  void Leave(const Room& room, Ticket ticket);

  // None without streams, but for those with a round.
  absl::flat_hash_map<Room, Line> lines_;
  std::deque<Room> rounds_;
  // Also of streams that were woken and got nothing yet.
  absl::flat_hash_map<HolderId, Place> places_;
  Ticket last_ticket_ = 0;
};

}  // namespace wharf
