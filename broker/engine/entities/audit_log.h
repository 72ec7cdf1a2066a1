// AuditLog: tells the log what was changed of entities, of the rules of subscriptions and of the
// rules of access, and by whom, so that "who deleted orders?" has an answer.
//
// One line each, after the commit. A client that changes thousands does not fill the disk with it:
// beyond a number of lines a minute they are shown at the level debug only, and counted. Owned by
// one Shard and used only on its thread.
#pragma once

#include <cstddef>
#include <string>

#include "broker/engine/turn/turn.h"
#include "broker/requests/caller.h"

namespace wharf {

class AuditLog {
 public:
  static constexpr std::size_t kLinesPerMinute = 1000;

  // Who changes something.
  struct Author {
    // As "orders#shop"; empty: nobody had to prove anything.
    std::string rule{};
    // Where it comes from; empty: the broker itself.
    std::string client{};
    std::string tracking_id{};
    // That it says it belongs to; empty: none.
    std::string trace_id{};
  };
  static Author AuthorOf(const Caller& caller);

  // "the queue 'orders' is made", when that is durable. `entity` is the path it is about; empty:
  // the namespace.
  void Note(const Author& author, std::string entity, std::string done, Turn& turn);

 private:
  struct Line {
    Author author;
    std::string entity;
    std::string done;
  };

  void Write(Timestamp now, const Line& line);
  void BeginMinute(Timestamp now);

  Timestamp minute_{};  // When it began.
  std::size_t lines_ = 0;
};

}  // namespace wharf
