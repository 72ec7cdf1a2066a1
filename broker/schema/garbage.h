// Garbage: which rows nobody can ask for any more, so that the store's compactions may drop them.
//
// The broker's lazy hand. What it drops has no effect already: it compares with the time of the
// last commit, never with a clock, and every reader compares with a later one. Upkeep tells
// the time of what is applied, compactions ask on threads of the store.
#pragma once

#include <atomic>
#include <string_view>

#include "storage/base/time.h"

namespace wharf {

class Garbage {
 public:
  void NoteCommitted(Timestamp time) { committed_.store(time, std::memory_order_relaxed); }

  // A row of `duplicates`: its window has passed (DUP-5).
  bool IsForgotten(std::string_view record) const;
  // A row of `outcomes`: nobody is told of it any more (TXX-1).
  bool IsForgottenOutcome(std::string_view record) const;

 private:
  std::atomic<Timestamp> committed_{};
};

}  // namespace wharf
