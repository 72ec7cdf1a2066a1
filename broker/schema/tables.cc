#include "broker/schema/tables.h"

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
  };
  return kTables;
}

}  // namespace wharf
