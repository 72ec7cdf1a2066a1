// CatchUp: brings a state to the end of its log, at a start, before anybody reads it.
#pragma once

#include "storage/applied_index_row.h"
#include "storage/entry_log.h"
#include "storage/rocks/rocks_store.h"
#include "storage/state_position.h"

namespace wharf {

struct CaughtUpTo {
  StatePosition position{};
  CommitIndex last{};
};

// Applies what the log has behind the state. Nobody listens: what is true is loaded from the store,
// when it has all of it. Damage, if the two do not fit together: a state that is ahead has what the
// log has lost, one that ends before the log begins lacks what nobody has.
Result<CaughtUpTo> CatchUp(RocksStore& store, const EntryLog& log, const StatePositionRow& position,
                           const AppliedIndexRow& index);

}  // namespace wharf
