// TransactionLoop: workers that receive a message and, in one transaction each, complete it and
// send another.
//
// What a transaction costs. Runs on the main thread and returns when it is over.
#pragma once

#include "tools/wharf/bench/bench.h"

namespace wharf::tool {

// Fills the queue with enough for all, then measures `workers` workers, each of which makes single
// calls: one that receives several messages, and a transaction for each of them.
Result<BenchReport> BenchTransactions(const BenchPlan& plan, std::size_t workers);

}  // namespace wharf::tool
