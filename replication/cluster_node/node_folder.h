// NodeFolder: what makes a data folder that of a node: the log with which it votes, and the file
// that says whose it is.
//
//   DATA/NODE         identity_file.h
//   DATA/entries/     segments/segment_log.h
//
// The log is made first and the identity last, durably: a folder with an identity has a log, and
// one that has lost it is refused, because it may have voted. What was begun and has no identity
// never voted, and is begun anew. Used by a ClusterNode, before it takes part.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replication/identity/node_identity.h"
#include "storage/base/random.h"
#include "storage/entry_log.h"
#include "storage/segments/segment_log.h"

namespace wharf {

class NodeFolder {
 public:
  // `random` is used for as long as a log is that came from here.
  NodeFolder(std::string data, Random& random) : data_(std::move(data)), random_(random) {}

  // Nothing: it belongs to no cluster. Refuses that of a node with another name.
  Result<std::optional<NodeIdentity>> Identity(const std::string& name) const;
  // It belongs to this node from now on, whose log begins with these entries, which are committed.
  Status Become(const NodeIdentity& identity, const std::vector<LogEntry>& entries) const;
  Result<std::unique_ptr<SegmentLog>> OpenLog(const NodeIdentity& identity) const;

 private:
  std::string log_path() const { return data_ + "/entries"; }
  SegmentLogOptions OptionsOf(const NodeIdentity& identity) const;

  const std::string data_;
  Random& random_;
};

}  // namespace wharf
