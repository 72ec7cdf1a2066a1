// RecountReport: what an entity's rows say, beside what is counted of them.
//
// A plain value: made by a reader, told to whoever asked for the check.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "broker/core/entities/names.h"

namespace wharf {

// Something that is counted otherwise than its rows say; or rows that should not be, of which none
// are expected.
struct RecountDifference {
  LaneKind lane = LaneKind::kMain;
  // As management names it: "locked_message_count", "delivery_rows_without_message".
  std::string what;
  std::int64_t counted = 0;
  std::int64_t found = 0;
  friend bool operator==(const RecountDifference&, const RecountDifference&) = default;
};

struct RecountReport {
  // That were looked at, scheduled ones among them.
  std::int64_t messages = 0;
  // Empty: everything agrees. Of a repair: what there was before.
  std::vector<RecountDifference> differences{};
  // Why the entity is fenced now; empty: it is in use.
  std::string fence{};
  bool is_repaired = false;
};

}  // namespace wharf
