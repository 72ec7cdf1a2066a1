// SimKeeper: what a node has beside its state, for one life: it hears of what is applied, and says
// what compactions may drop.
#pragma once

#include "storage/commit_log.h"
#include "storage/store.h"

namespace wharf {

class SimKeeper {
 public:
  virtual ~SimKeeper() = default;
  // What the state says when the life begins.
  virtual Status Load(const Store& store) = 0;
  virtual CommitLog::ApplyListener& listener() = 0;
  // With their judges.
  virtual const TableSet& tables() const = 0;
  // What it has heard is true from now on; no view is open.
  virtual void Refresh() = 0;
};

}  // namespace wharf
