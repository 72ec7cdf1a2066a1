// CompactingStore: a store on disk that is compacted while it is read, at random places and
// moments.
//
// What compactions drop must be missed by nobody: not by a view that was opened before, nor by a
// start. So between any two reads of one view something may be compacted, as by RocksDB's own
// threads. Used by a PowerLife, on the test's thread.
#pragma once

#include <cstdint>
#include <memory>

#include "storage/base/random.h"
#include "storage/rocks/rocks_store.h"

namespace wharf {

class CompactingStore final : public Store {
 public:
  // Outlived by the store, by that through which it is read, and by what is drawn from.
  CompactingStore(RocksStore& rocks, const Store& read, Random& random)
      : rocks_(rocks), read_(read), random_(random) {}

  std::unique_ptr<StoreView> View() const override;

  // Some rows of some table, or files in which much is dead. What fails, fails with the power.
  void CompactSome() const;

 private:
  class OpenView;

  // Once in a while.
  void MayCompact(std::uint64_t one_in) const;

  RocksStore& rocks_;
  const Store& read_;
  Random& random_;
};

}  // namespace wharf
