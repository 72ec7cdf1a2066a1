// What is asked about whether the rows of an entity agree with what is counted of them.
#pragma once

#include <string>

#include "broker/core/operations/recount_report.h"

namespace wharf {

// Counts a queue, a topic or a subscription, and its dead letters, from their rows. `repairs`: if
// they do not agree, or if the entity is fenced, it is mended from its rows and in use again.
struct CheckEntityRequest {
  using Response = RecountReport;
  std::string path{};
  bool repairs = false;
};

}  // namespace wharf
