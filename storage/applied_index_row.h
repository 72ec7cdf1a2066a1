// AppliedIndexRow: where a commit log keeps in its store how far the store has applied it.
//
// The log's own row; nobody else writes it. It is in the same synced write as the batches that it
// counts, so after a crash it says exactly which of them are there, and a log goes on counting
// where it was. Its record is
//
//   version (1) · index (8, big-endian)
//
// Used by the commit logs.
#pragma once

#include <string>

#include "storage/commit_log.h"
#include "storage/store.h"

namespace wharf {

struct AppliedIndexRow {
  TableId table = 0;
  std::string key = "applied-index";

  // From 0, if there is no row yet.
  Result<CommitIndex> Read(const Store& store) const;
  void Put(CommitIndex index, WriteBatch& batch) const;
};

}  // namespace wharf
