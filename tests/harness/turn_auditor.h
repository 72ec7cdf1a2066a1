// TurnAuditor: sees to it that a turn that changes what a lane holds writes the counters of that
// lane, too; what was not written is wrong after a restart.
//
// Stands before the listener of a test.
#pragma once

#include <string>

#include "broker/engine/shard.h"

namespace wharf {

class TurnAuditor final : public ChangeListener {
 public:
  // Null: nobody else hears of the changes.
  explicit TurnAuditor(ChangeListener* next) : next_(next) {}

  void OnChanges(const Changes& changes) override;
  // A sentence for each lane whose counters a turn left out; empty if there was none.
  const std::string& wrong() const { return wrong_; }

 private:
  ChangeListener* const next_;
  std::string wrong_;
};

}  // namespace wharf
