// NodeFolder: what makes a data folder that of a node: the log with which it votes, and the file
// that says whose it is.
//
//   DATA/NODE         identity_file.h
//   DATA/INVITATION   by whom it was invited; peers/invitation.h
//   DATA/entries/     segments/segment_log.h
//
// The log is made first and the identity last, durably: a folder with an identity has a log, and
// one that has lost it is refused, because it may have voted. What was begun and has no identity
// never voted, and is begun anew. Whoever was invited finds the others by the invitation until its
// state names them. Used by a ClusterNode, before it takes part.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "replication/identity/node_identity.h"
#include "replication/peers/invitation.h"
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
  // It belongs from now on to the first node of a cluster, whose log begins with this entry, which
  // is committed; or to the node that is invited. Refused if it belongs to one.
  Status Found(const NodeIdentity& identity, const LogEntry& first) const;
  Status Join(const Invitation& invitation) const;
  // Of whoever was invited; nobody else has any.
  Result<std::vector<Member>> Inviters() const;
  Result<std::unique_ptr<SegmentLog>> OpenLog(const NodeIdentity& identity) const;

 private:
  Status Become(const NodeIdentity& identity, const std::vector<LogEntry>& entries) const;
  std::string invitation_path() const { return data_ + "/INVITATION"; }
  std::string log_path() const { return data_ + "/entries"; }
  SegmentLogOptions OptionsOf(const NodeIdentity& identity) const;

  const std::string data_;
  Random& random_;
};

}  // namespace wharf
