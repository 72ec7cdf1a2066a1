#include "broker/engine/sending/move_line.h"

#include <utility>

#include "broker/engine/turn/acting.h"

namespace wharf {

void MoveLine::Enter(Turn& turn, Task step) {
  if (under_way_ == kStepsMax) {
    return waiting_.push_back(ActingFor(turn.actor(), std::move(step)));
  }
  ++under_way_;
  std::move(step)(turn);
}

void MoveLine::Leave(Turn& turn) {
  turn.OnCommitted([this](const Status&, Tellings&) { BeginNext(); });
}

// The first move that waits takes the place over.
void MoveLine::BeginNext() {
  if (waiting_.empty()) {
    --under_way_;
    return;
  }
  tasks_.Post(std::move(waiting_.front()));
  waiting_.pop_front();
}

}  // namespace wharf
