// StateFolder: where the state of a node is in its data folder, and how the state of a snapshot
// takes its place.
//
//   DATA/STATE                 the name of the folder of the state; none: it is DATA itself
//   DATA/state.INDEX.TERM/     of a snapshot that came: whole, and on the disk
//   DATA/incoming/             of one that is on its way (snapshots/incoming_snapshot.h)
//   DATA/outgoing/             of one that others may take (snapshots/snapshot_sender.h)
//   DATA/DAMAGED               the name of a state that was found damaged while it was open
//   DATA/damaged/              such a state, until another one is here
//   DATA/stand-in/             a store without rows, for as long as there is no state
//
// A snapshot counts when the log begins at it. So: its files are whole; the log begins there, in
// one record; STATE names its folder; the state before is removed. A start goes on wherever that
// ended, and what the log does not begin at is removed. Before the store is opened.
//
// A state that is damaged, or not there, is lost: the node takes another one's (ClusterNode). Its
// folder steps aside, so that nothing is taken for it any more; a state in DATA itself stays where
// it is. It counts until STATE names the one that came, and is removed after that.
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
  // The state is damaged, says who has it open; durably, for the next start. Any thread.
  Status MarkDamaged() const;
  // Damage: it was marked so, or it is not there.
  Status CheckState() const;
  // It is lost. Nothing of it goes; a lost one that is still there from before does.
  Status SetAside() const;
  // What is incoming is whole, and the log goes on from there: it becomes the state. Of one whose
  // state is lost.
  Status Replace(const LogPlace& place) const;
  // There is a state, and it is open: what is left of one that was lost is removed, and what stood
  // in for it. What was marked since it was opened stays so.
  Status ForgetLost() const;
  std::string stand_in() const { return data_ + "/stand-in"; }

  // The log begins there. Nobody has a state open.
  Status Settle(const LogPlace& log_start) const;

 private:
  // That of the pointer; empty: DATA itself.
  Result<std::string> name() const;
  // Which state is marked; nothing: none.
  Result<std::optional<std::string>> Marked() const;
  Status ForgetOldMark(const std::string& current) const;
  Result<std::vector<std::string>> Snapshots() const;
  Status Switch(const std::string& from, const std::string& to) const;
  Status RemoveFolder(const std::string& name) const;
  // Of that which is incoming.
  Status Name(const std::string& name) const;

  const std::string data_;
};

}  // namespace wharf
