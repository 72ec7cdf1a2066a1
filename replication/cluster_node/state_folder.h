// StateFolder: where the state of a node is in its data folder, and how the state of a snapshot
// takes its place.
//
//   DATA/STATE                 the name of the folder of the state; none: it is DATA itself
//   DATA/state.INDEX.TERM/     of a snapshot that came: whole, and on the disk
//   DATA/incoming/             of one that is on its way (snapshots/incoming_snapshot.h)
//   DATA/outgoing/             of one that others may take (snapshots/snapshot_sender.h)
//
// A snapshot counts when the log begins at it. So: its files are whole; the log begins there, in
// one record; STATE names its folder; the state before is removed. A start goes on wherever that
// ended, and what the log does not begin at is removed. Before the store is opened.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "storage/base/status.h"
#include "storage/entry_log.h"

namespace wharf {

class StateFolder {
 public:
  explicit StateFolder(std::string data) : data_(std::move(data)) {}

  // Of the state; DATA or in it.
  Result<std::string> path() const;
  std::string incoming() const { return data_ + "/incoming"; }
  std::string outgoing() const { return data_ + "/outgoing"; }

  // What is incoming is whole: it becomes what a start may find.
  Status Keep(const LogPlace& place) const;
  // Whether there is a snapshot beside the state, so that it has to be settled with the log.
  Result<bool> has_snapshot() const;
  // The log begins there. Nobody has a state open.
  Status Settle(const LogPlace& log_start) const;

 private:
  // That of the pointer; empty: DATA itself.
  Result<std::string> name() const;
  Result<std::vector<std::string>> Snapshots() const;
  Status Switch(const std::string& from, const std::string& to) const;
  Status RemoveFolder(const std::string& name) const;

  const std::string data_;
};

}  // namespace wharf
