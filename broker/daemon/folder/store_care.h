// StoreCare: the open store and what is done for it in the background: the disk is looked at, space
// is given back, and what commits say beside their rows is noted. For tests it is also compacted at
// moments that nothing explains.
//
// Made and stopped on the main thread by a daemon, which hands its parts to whoever commits and
// reads.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "broker/daemon/process/thread_pool.h"
#include "broker/reading/upkeep.h"
#include "storage/base/random.h"
#include "storage/base/ticker.h"
#include "storage/disk/disk_gate.h"
#include "storage/disk/disk_reserve.h"
#include "storage/disk/disk_space.h"
#include "storage/disk/space_keeper.h"
#include "storage/rocks/random_compaction.h"
#include "storage/rocks/rocks_store.h"

namespace wharf {

class StoreCare {
 public:
  // `garbage` outlives it. So often something is compacted at random while it looks; zero: nothing.
  StoreCare(std::unique_ptr<RocksStore> store, Garbage& garbage, const SpaceLimits& space,
            const std::string& folder, Duration compaction_pace);

  RocksStore& store() const { return *store_; }
  DiskGate& gate() const { return gate_; }
  // Hears of what is applied.
  CommitLog::ApplyListener& listener() { return upkeep_; }
  void SetFreeBytesMin(std::uint64_t bytes) { keeper_.SetFreeBytesMin(bytes); }

  // Looks at the disk now, and from now on.
  void BeginLooks();
  void EndLooks();
  // Begins nothing any more that gives back space.
  void StopGivingBack() { store_->StopGivingBack(); }
  // Nobody writes or reads any more. If all is well the store is left as a start likes it;
  // `expect_silence` is called before that begins.
  void Close(bool is_healthy, const std::function<void()>& expect_silence);

 private:
  void BeginCompactions();
  // On the lazy thread.
  void CompactAtRandom();

  // In the order of their making; they go down in the opposite one.
  const std::unique_ptr<RocksStore> store_;
  const FolderDisk disk_;
  SystemRandom random_;
  RandomCompaction compaction_;
  const Duration compaction_pace_;
  std::atomic<bool> is_compacting_ = false;
  DiskReserve reserve_;
  mutable DiskGate gate_;  // Any thread asks it.
  // What may take minutes, one at a time.
  ThreadPool lazy_;
  SpaceKeeper keeper_;
  Upkeep upkeep_;
  std::unique_ptr<Ticker> looks_;
  std::unique_ptr<Ticker> compactions_;
};

}  // namespace wharf
