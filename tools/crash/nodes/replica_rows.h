// ReplicaRows: what the state of a stopped node holds, to be compared with that of another one: all
// rows of all tables, but for those that a compaction may drop, and may have dropped here or there.
// Compactions go by the time of a commit, and the last of them is in the state.
//
// Plain function for the run's thread; no daemon may use the folder.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "storage/base/status.h"

namespace wharf::crash {

// Key and value, by table.
using ReplicaRows = std::map<std::pair<std::string, std::string>, std::string>;

Result<ReplicaRows> ReadReplica(const std::string& folder);

// The first row in which they differ, in words; empty: they are equal.
std::string DifferenceOf(const ReplicaRows& one, const ReplicaRows& other);

}  // namespace wharf::crash
