// Buckets: which of them an entity, or a transaction, is in.
//
// A thread owns whole buckets, and rows that belong to no single entity stand under theirs, so that
// another number of threads rewrites nothing. The functions are on disk: they never change.
#pragma once

#include <string_view>

#include "broker/core/operations/transaction_record.h"
#include "storage/base/ids.h"

namespace wharf {

// Of the entity with this path, folded or not: that of the top-level entity, so that a topic has
// all its subscriptions beside it.
Bucket BucketOfPath(std::string_view path);

// A transaction may be on entities of any buckets, and whoever asks for it knows its id alone.
Bucket BucketOf(const TransactionId& id);

}  // namespace wharf
