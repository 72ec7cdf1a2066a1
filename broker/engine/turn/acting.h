// Acting: as long as it lives, what a turn plans is planned in somebody's name.
//
// What goes on in a later turn takes the name along (ActingFor): behind a read of the store, or
// when it was its turn in a line. Used on the shard's thread.
#pragma once

#include <utility>

#include "broker/engine/turn/tasks.h"
#include "broker/engine/turn/turn.h"

namespace wharf {

class Acting {
 public:
  Acting(Turn& turn, ActorPtr actor) : turn_(turn) {
    if (!turn.keeps_actors) return;
    before_ = turn.actor();
    turn.ActFor(std::move(actor));
  }
  ~Acting() { turn_.ActFor(std::move(before_)); }
  Acting(const Acting&) = delete;
  Acting& operator=(const Acting&) = delete;

 private:
  Turn& turn_;
  ActorPtr before_;
};

// The same task, in that name; as it is, if it is nobody's.
inline Task ActingFor(ActorPtr actor, Task task) {
  if (actor == nullptr) return task;
  return [actor = std::move(actor), task = std::move(task)](Turn& turn) mutable {
    const Acting acting(turn, std::move(actor));
    std::move(task)(turn);
  };
}

}  // namespace wharf
