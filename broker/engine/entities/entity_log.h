// EntityLog: tells the log what became of entities, so that "who deleted orders?" has an answer.
//
// One line each, after the commit. A client that makes thousands does not fill the disk with it:
// beyond a number of lines a minute they are shown at the level debug only. Owned by one Shard and
// used only on its thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "broker/core/entities/queue_description.h"
#include "broker/engine/turn/turn.h"

namespace wharf {

class EntityLog {
 public:
  static constexpr std::size_t kLinesPerMinute = 1000;

  // "the queue 'orders' is made", when that is durable. `done` is a literal.
  void Note(EntityKind kind, std::string name, std::string_view done, Turn& turn);

 private:
  void Write(Timestamp now, const std::string& line);

  Timestamp minute_{};  // When it began.
  std::size_t lines_ = 0;
};

}  // namespace wharf
