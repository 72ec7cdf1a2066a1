// Tables: which tables the broker keeps. The grammar of their keys is in keys.h, that of values in
// records.h and message_record.h.
#pragma once

#include "storage/table.h"

namespace wharf {

// The values are indexes into BrokerTables(); a new table goes to the end.
enum class Table : TableId {
  kMeta,
  kCatalog,
  kCounters,
  kMessages,
  kBodies,
  kDelivery,
  kJobs,
};

constexpr TableId IdOf(Table table) { return static_cast<TableId>(table); }

const TableSet& BrokerTables();

}  // namespace wharf
