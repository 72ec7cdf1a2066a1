// Looks among the messages for what is due, where the hints that tell of it cannot be read.
//
// A hint says nothing but when to look at a message: what is scheduled is found by its time, and
// what is delayed by its row. What expires needs no hint, its own or a shared one, for nobody gets
// it afterwards. Used on reader threads, by due_reader; each call sees the store as it was at one
// instant.
#pragma once

#include <vector>

#include "broker/core/changes/change.h"
#include "storage/store.h"

namespace wharf {

// Hints of a bucket for times from `from` up to but not `until`, in their order.
Result<std::vector<DueHint>> FindLostHints(const StoreView& view, Bucket bucket, Timestamp from,
                                           Timestamp until);

}  // namespace wharf
