// ReplicaRows: what the state of a stopped broker, or of one of its nodes, holds: all rows of all
// tables, but for those that a compaction may drop, and may have dropped here or there. Compactions
// go by the time of a commit, and the last of them is in the state. They are compared with those of
// another node, and with what there may be when all messages were taken out.
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

// Of a node of a cluster; and of a broker that is alone.
Result<ReplicaRows> ReadReplica(const std::string& folder);
Result<ReplicaRows> ReadSingle(const std::string& folder);

// The first row in which they differ, in words; empty: they are equal.
std::string DifferenceOf(const ReplicaRows& one, const ReplicaRows& other);

// Of a broker without messages: the first row that is of one, or a body that none has any more, in
// words; empty: there is none.
std::string LeftOverIn(const ReplicaRows& rows);

}  // namespace wharf::crash
