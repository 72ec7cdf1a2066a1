// StateReport: how a comparison of the members' states goes, or how it ended, for operators. A
// value.
#pragma once

#include <string>

#include "replication/verify/state_comparison.h"

namespace wharf {

struct StateReport {
  StateComparison::Progress progress{};
  // Of the row that is not the same for all: its table; empty: none was found.
  std::string table{};
  // What that means, or why nothing is known, in a sentence; empty: it is under way, or all are
  // equal.
  std::string sentence{};
};

}  // namespace wharf
