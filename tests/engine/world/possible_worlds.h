// PossibleWorlds: what the broker may have come to, as far as one can know from outside.
//
// A request takes effect when it is answered or before, in the order of the answers: each answer
// waits for the commit of its turn. What the broker does by itself comes in between, nobody hears
// when. So there are several worlds that explain everything that was heard; each answer rules some
// out, and if none is left the broker is wrong. Used by WorldRun.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tests/engine/world/world_model.h"

namespace wharf {

class PossibleWorlds {
 public:
  struct Event {
    // The entities that it concerns; what happens to others may as well happen later.
    std::set<std::string> where;
    // Brings it about in a world; false if it cannot have happened there.
    std::function<bool(WorldModel& world)> happens;
  };

  explicit PossibleWorlds(const WorldModel& first) : worlds_{first} {}

  // One of them.
  const WorldModel& any() const { return worlds_.front(); }
  std::size_t size() const { return worlds_.size(); }
  // They became too many to follow: nothing is known any more.
  bool is_lost() const { return is_lost_; }

  // False, and nothing changes, if no world explains it.
  bool Happened(const Event& event);
  // It is not answered yet.
  void AskedToCommit(const TransactionId& id);
  // The clock goes on; what the broker does by itself may come before or after.
  void SetTime(Timestamp now);
  // Each of these may have happened, once, in any order; then memory was lost.
  void Crash(const std::vector<Event>& events, Timestamp now);
  // All that the broker does by itself is done.
  void Finish();
  // Keeps those that have no difference; otherwise all, and tells what differs.
  std::string Keep(const std::function<std::string(const WorldModel& world)>& difference);

 private:
  // Steps that may have been taken, any number, and that concern one of these; null: any.
  void Spread(const std::set<std::string>* where);
  bool IsTooMuch(std::size_t count);

  std::vector<WorldModel> worlds_;
  bool is_lost_ = false;
};

}  // namespace wharf
