// Garbage rules: for every table, by which rule its rows are garbage, or that none ever is.
//
// Garbage is what no reader could tell from what is not there, of whatever node's store: nothing
// that is committed may depend on what a compaction has dropped or left. A new table says here what
// it is to be; BrokerTables gives the rules to the store, and its compactions ask the judges.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "broker/schema/garbage.h"
#include "broker/schema/tables.h"
#include "storage/row_judge.h"

namespace wharf {

struct GarbageRule {
  Table table;
  // A judge for one compaction; none: no row of the table is ever garbage.
  std::unique_ptr<RowJudge> (*make_judge)(Garbage& garbage) = nullptr;
  // As in GarbageOptions (storage/table.h).
  bool needs_value = false;
  bool by_age = false;
  std::vector<KeyRange> (*ranges)(Garbage& garbage, std::string_view from,
                                  std::size_t count) = nullptr;
};

// One for each table, in their order.
std::span<const GarbageRule> GarbageRules();

}  // namespace wharf
