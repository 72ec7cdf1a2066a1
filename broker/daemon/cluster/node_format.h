// The format of the rows of a node's state: of which one it is at a level of its cluster
// (replication/format_level.h), and what may be kept below it.
//
// A broker by itself gives its folder the newest format when it starts. The rows of a node are
// everybody's: they have the oldest format that is read until all members read more. Used by
// main.cc and the ClusterDaemon.
#pragma once

#include <cstdint>
#include <string>

#include "broker/schema/loader.h"
#include "storage/base/status.h"
#include "storage/write_batch.h"

namespace wharf {

// What the state says from this level on (cluster_node/state_format.h).
WriteBatch FormatOfLevel(std::uint64_t level);

// Why messages are not kept yet as AMQP encoded them; or OK.
Status CheckEncodingsAt(std::uint64_t level);

// Why no entity may have an event log yet; or OK.
Status CheckEventLogsAt(std::uint64_t level);

// Whether entities keep what a client's XML says that is not known (EPR-24). Refused it is not,
// where they do not: SDKs give back whatever they read.
bool KeepsUnknownElementsAt(std::uint64_t level);

// Whether rules of access remember which of their keys were replaced. Where they do not, a
// description replaces none.
bool KeepsReplacedKeysAt(std::uint64_t level);

// Of a folder that would become the state of a cluster as it is: nodes that are held at a lower
// level could not read it.
Status CheckFounder(const FolderState& folder, const std::string& path, std::uint64_t level_max);

}  // namespace wharf
