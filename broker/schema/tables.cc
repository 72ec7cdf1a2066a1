#include "broker/schema/tables.h"

#include <utility>

#include "broker/schema/garbage_rules.h"
#include "broker/schema/keys.h"
#include "broker/schema/records.h"

namespace wharf {

const TableSet& BrokerTables() {
  // Behind the shelf stands in `delivery` the standing.
  static const TableSet kTables = {
      {.name = "meta"},
      {.name = "catalog"},
      {.name = "counters"},
      {.name = "messages",
       .is_queue = true,
       .is_looked_up = true,
       .neighbours_prefix = kShelfKeyBytes,
       .is_deleted_singly = true},
      {.name = "bodies", .in_blob_files = true, .is_deleted_singly = true},
      {.name = "delivery", .neighbours_prefix = kShelfKeyBytes + 1},
      {.name = "jobs"},
      {.name = "scheduled"},
      {.name = "scheduled_times", .is_queue = true},
      {.name = "due", .is_queue = true},
      {.name = "duplicates"},
      {.name = "order", .is_queue = true, .neighbours_prefix = kShelfKeyBytes},
      {.name = "sessions"},
      {.name = "session_state"},
      {.name = "sessions_ready", .is_queue = true},
      {.name = "rules"},
      {.name = "body_refs", .is_queue = true},
      {.name = "outcomes"},
      {.name = "spans", .is_watched = true},
      {.name = "access", .is_watched = true},
      {.name = "events", .is_queue = true},
  };
  return kTables;
}

TableSet BrokerTables(Garbage& garbage) {
  TableSet tables = BrokerTables();
  for (const GarbageRule& rule : GarbageRules()) {
    if (rule.make_judge == nullptr) continue;
    GarbageOptions options{
        .make_judge = [&garbage, make = rule.make_judge] { return make(garbage); },
        .needs_value = rule.needs_value,
        .by_age = rule.by_age};
    if (rule.ranges != nullptr) {
      options.ranges = [&garbage, ranges = rule.ranges](std::string_view from, std::size_t count) {
        return ranges(garbage, from, count);
      };
    }
    tables[IdOf(rule.table)].garbage = std::move(options);
  }
  return tables;
}

AppliedIndexRow BrokerAppliedIndex() {
  return {IdOf(Table::kMeta), std::string(kMetaAppliedIndex)};
}

StatePositionRow BrokerStatePosition() {
  return {IdOf(Table::kMeta), std::string(kMetaStatePosition)};
}

}  // namespace wharf
