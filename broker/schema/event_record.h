// Event records: the rows of an event log, each of which tells what happened to messages of one
// entity in one turn.
//
//   row    version · forget after (8) · time of the turn · serial of the turn ·
//          how many actors · actor*, each: door (1) · peer · identity
//          event*
//   event  kind (1) · flags (1) · index in the turn - that of the one before ·
//          number - that of the one before · actor (0: none, else counted from 1) ·
//          [until - that of the one before, or the time] · [delivery count, or copies] ·
//          [message id] · [reason] · [other path] · [other number] ·
//          [last - number · how many exceptions · of each how far it is behind the one before, or
//          behind the number]
//   head   version · end · serial of its last row
//
// An event takes some ten bytes, so what repeats is told once, and the numbers of a row lie close
// together. Written by the engine's EventLogs at the end of a turn, read on reader threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "broker/core/messages/message_event.h"
#include "broker/schema/bytes.h"
#include "storage/base/status.h"

namespace wharf {

// An event as it stands in a row; its texts are somebody else's.
struct Event {
  EventKind kind = EventKind::kSent;
  LaneKind lane = LaneKind::kMain;
  SequenceNumber number;
  // Of who asked for it, in the row that it was read from; none: nobody.
  std::optional<std::size_t> actor{};
  // Among the events of its turn, of whichever entity.
  std::uint64_t index = 0;
  std::optional<Timestamp> until{};
  // Of kPublished: the copies.
  std::optional<std::uint32_t> count{};
  std::string_view message_id{};
  std::string_view reason{};
  std::string_view other_path{};
  SequenceNumber other_number{};
  // Of a run: all numbers up to this one, but for the exceptions, which ascend.
  SequenceNumber last{};
  std::vector<SequenceNumber> exceptions{};

  // Whether it tells of that message. Of a purge, which tells of all, that says nothing.
  bool IsOf(SequenceNumber wanted) const;
};

// Gathers the events of a turn.
class EventRowWriter {
 public:
  explicit EventRowWriter(Timestamp time) : time_(time), until_(time) {}

  // `actor` may be null; its events are told from others' by its address first, so it lives until
  // the row is taken. The number of the event's own actor is not looked at.
  void Add(const Event& event, const Actor* actor);
  bool empty() const { return events_.empty(); }
  std::size_t bytes() const { return events_.size() + actors_.size(); }
  // The row; begins anew.
  std::string Take(Timestamp forget_after, std::uint64_t serial);

 private:
  std::uint64_t IndexOf(const Actor* actor);

  Timestamp time_;
  std::string events_;
  std::string actors_;
  absl::flat_hash_map<std::string, std::uint64_t> indexes_;
  const Actor* last_actor_ = nullptr;
  std::uint64_t last_actor_index_ = 0;
  std::uint64_t index_ = 0;
  std::uint64_t number_ = 0;
  Timestamp until_;
};

// Reads a row, which outlives it.
class EventRowReader {
 public:
  explicit EventRowReader(std::string_view row);

  Timestamp forget_after() const { return forget_after_; }
  Timestamp time() const { return time_; }
  std::uint64_t serial() const { return serial_; }
  const Actor& actor(std::size_t index) const { return actors_[index]; }

  // Nothing: at its end, or where it cannot be read.
  std::optional<Event> Next();
  bool is_damaged() const { return reader_.failed(); }

 private:
  void ReadRun(Event& event);

  ByteReader reader_;
  Timestamp forget_after_;
  Timestamp time_;
  std::uint64_t serial_ = 0;
  std::vector<Actor> actors_;
  std::uint64_t index_ = 0;
  std::uint64_t number_ = 0;
  Timestamp until_;
};

// From when on nobody sees the row; nothing: it cannot be read.
std::optional<Timestamp> ForgetAfterOf(std::string_view row);

struct EventLogHead {
  std::uint64_t end = 0;
  std::uint64_t serial = 0;
};
std::string EncodeEventHead(const EventLogHead& head);
// Nothing: it cannot be read.
std::optional<EventLogHead> DecodeEventHead(std::string_view record);

}  // namespace wharf
