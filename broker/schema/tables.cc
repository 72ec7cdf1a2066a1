#include "broker/schema/tables.h"

#include "broker/schema/garbage.h"

namespace wharf {

const TableSet& BrokerTables() {
  static const TableSet kTables = {
      {.name = "meta"},
      {.name = "catalog"},
      {.name = "counters"},
      {.name = "messages", .is_queue = true},
      {.name = "bodies", .in_blob_files = true},
      {.name = "delivery"},
      {.name = "jobs"},
      {.name = "scheduled"},
      {.name = "scheduled_times", .is_queue = true},
      {.name = "due", .is_queue = true},
      {.name = "duplicates"},
      {.name = "order", .is_queue = true},
      {.name = "sessions"},
      {.name = "session_state"},
      {.name = "sessions_ready", .is_queue = true},
      {.name = "rules"},
      {.name = "body_refs", .is_queue = true},
  };
  return kTables;
}

TableSet BrokerTables(const Garbage& garbage) {
  TableSet tables = BrokerTables();
  tables[IdOf(Table::kDuplicates)].is_garbage = [&garbage](std::string_view record) {
    return garbage.IsForgotten(record);
  };
  return tables;
}

}  // namespace wharf
