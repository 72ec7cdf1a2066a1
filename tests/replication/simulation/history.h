// History: what a simulated cluster has done, and whether it may have.
//
//   - at one index all nodes have the same entry, whenever they apply it
//   - at one index all nodes have the same state
//   - one term has at most one leader
//   - a batch takes effect once; where it was "not done" never; where it was acknowledged, in the
//     place that the answer named, for ever
//   - a look is answered by who has everything that was acknowledged before it was asked for
//
// Everything is a violation with its sentence; the first ones are kept.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "replication/core/raft_library.h"
#include "storage/commit_log.h"
#include "storage/entry_log.h"

namespace wharf {

class History {
 public:
  void OnLeading(RaftId node, std::uint64_t term);
  void OnCommitted(RaftId node, const LogEntry& entry);
  void OnState(RaftId node, std::uint64_t index, std::uint64_t hash);
  void OnRow(const std::string& batch);
  void OnTwice(RaftId node, const std::string& batch);
  void OnAnswer(const std::string& batch, const Result<CommitIndex>& answer);
  // What a look that is asked for now has to see.
  CommitIndex acknowledged() const { return acknowledged_; }
  void OnLook(RaftId node, CommitIndex asked_at, const Result<CommitIndex>& answer);
  void OnEnd(RaftId node, const std::set<std::string>& rows);
  void Violation(std::string sentence);

  const std::vector<std::string>& violations() const { return violations_; }
  std::size_t acknowledged_batches() const { return places_.size(); }
  std::size_t looks() const { return looks_; }
  std::size_t unknown_batches() const { return unknown_; }
  std::size_t leaderships() const { return leaders_.size(); }

 private:
  std::map<std::uint64_t, RaftId> leaders_;
  // By index: term and what the entry is.
  std::map<std::uint64_t, std::pair<std::uint64_t, std::size_t>> entries_;
  std::map<std::uint64_t, std::uint64_t> states_;
  std::set<std::string> applied_;
  std::set<std::string> not_done_;
  std::map<CommitIndex, std::string> places_;
  CommitIndex acknowledged_;
  std::size_t looks_ = 0;
  std::size_t unknown_ = 0;
  std::vector<std::string> violations_;
};

}  // namespace wharf
