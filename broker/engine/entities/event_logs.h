// EventLogs: what each turn tells the event logs of entities that have one.
//
// At its end a turn's changes say all that happened to messages; what an event log keeps of it
// becomes rows of the same commit, so that a log and its messages agree after a crash, and on every
// replica. A row holds the events of an entity in one turn, or a part of them. Where no entity has
// a log, a turn is only looked at for one that gets it.
//
// A log is bounded by the bytes of its rows, keys and values: positions count them, and what stands
// too far behind the end is deleted, a sixteenth of the log at a time. By time rows are garbage
// (schema/garbage_rules.h). Owned by the Shard, used on its thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "broker/core/entities/catalog.h"
#include "broker/engine/turn/turn.h"
#include "broker/schema/loader.h"

namespace wharf {

class EventLogs {
 public:
  // Rows that are longer are begun anew.
  static constexpr std::size_t kRowBytes = 48 * 1024;
  // Of a reason that is told.
  static constexpr std::size_t kReasonBytesMax = 512;

  // The catalog outlives it.
  EventLogs(const Catalog& catalog, const std::vector<EventLogImage>& images);

  // Whether an entity has a log: then turns keep who asks for what.
  bool is_on() const { return !logs_.empty(); }
  // The turn is planned; adds what it tells to its changes.
  void Record(Turn& turn);

 private:
  class Walk;

  struct Log {
    std::uint64_t bytes_max = 0;
    Duration retention{};
    // What stands before it was dropped in this life.
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    // What is there of it cannot be gone on with.
    bool is_lost = false;

    std::uint64_t part() const { return bytes_max / 16; }
  };

  static Log LogOf(const QueueDescription& description);
  // Deletes what is too much, if the log came from there to where it ends now.
  static void Trim(EntityId entity, Log& log, std::uint64_t from, Changes& changes);

  const Catalog& catalog_;
  absl::flat_hash_map<EntityId, Log> logs_;
  // Of the last turn that told something.
  std::uint64_t serial_ = 0;
};

}  // namespace wharf
