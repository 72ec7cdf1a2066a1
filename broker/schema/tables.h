// Tables: which tables the broker keeps. The grammar of their keys is in keys.h, that of values in
// records.h and message_record.h.
#pragma once

#include "storage/applied_index_row.h"
#include "storage/state_position.h"
#include "storage/table.h"

namespace wharf {

class Garbage;

// The values are indexes into BrokerTables(); a new table goes to the end.
enum class Table : TableId {
  kMeta,
  kCatalog,
  kCounters,
  kMessages,
  kBodies,
  kDelivery,
  kJobs,
  kScheduled,
  kScheduledTimes,
  kDue,
  kDuplicates,
  kOrder,
  kSessions,
  kSessionState,
  kSessionsReady,
  kRules,
  kBodyRefs,
  kOutcomes,
  kSpans,
  kAccess,
  kEvents,
};

constexpr TableId IdOf(Table table) { return static_cast<TableId>(table); }

const TableSet& BrokerTables();
// The same for a store that drops garbage when it compacts. `garbage` outlives the store.
TableSet BrokerTables(Garbage& garbage);

// Where a commit log counts what is in them.
AppliedIndexRow BrokerAppliedIndex();
// Where the state of a node of a cluster says how far it is.
StatePositionRow BrokerStatePosition();

}  // namespace wharf
