// SpaceKeeper: sees to it that the store never fills its disk, and that dead space comes back.
//
// It looks at the disk at a fixed pace. It tells the DiskGate how much is free and where the mark
// is; it gives up the reserve and fills it again; it keeps compactions small enough for what is
// free; and when the disk is nearly full, or nothing was written for a while, it tidies up: what is
// in memory is flushed, so that the log can go, and what is mostly dead is compacted, one thing at
// a time and elsewhere, because that takes seconds. How little was written says nothing of how
// much it freed (a purge is one row), so every write is tidied up after in the end, and so is what
// the log of an earlier life brought. What is known to be dead it gives back at any time, at a rate
// (SpaceReturns).
//
// Look is called by one thread; its calls are the keeper's clock. Made by the daemon.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "storage/disk/disk_gate.h"
#include "storage/disk/disk_reserve.h"
#include "storage/disk/disk_space.h"
#include "storage/disk/return_pace.h"
#include "storage/disk/space_returns.h"
#include "storage/store_space.h"

namespace wharf {

struct SpaceLimits {
  // Of the disk, that sends leave alone, beside what the store itself needs to go on.
  std::uint64_t free_bytes_min = 64 << 20;
  // Looks without a write after which it is quiet enough to tidy up.
  int idle_looks = 40;
  // Looks between two times of tidying while the disk is nearly full.
  int tidying_looks = 8;
  // The same while there is room and little was written.
  int trickle_looks = 120;
  // Of what gives back dead space.
  ReturnPace::Limits returns = {};
};

class SpaceKeeper {
 public:
  // Runs work on a thread that may take its time.
  using RunLazily = SpaceReturns::RunLazily;

  struct World {
    const DiskSpace& disk;
    StoreSpace& store;
    DiskReserve& reserve;
    DiskGate& gate;
    RunLazily run_lazily;
  };

  // `folder` is what the log calls it.
  SpaceKeeper(World world, const SpaceLimits& limits, std::string folder);

  void Look();

  // From the next look on; any thread.
  void SetFreeBytesMin(std::uint64_t bytes) { free_bytes_min_ = bytes; }

 private:
  // With what the store may write by itself: a flush, the largest compaction, and the large values
  // that compactions move.
  std::uint64_t MarkFor(const StoreSpace::Use& use, std::uint64_t moved_bytes) const;
  static DiskState StateFor(DiskState before, std::uint64_t free_bytes, std::uint64_t mark_bytes);
  void NoteGate();
  void Tell(const DiskReport& report);
  void KeepReserve(const DiskReport& report);
  void NoteUntidy(const DiskReport& report, const StoreSpace::Use& use,
                  std::uint64_t written_bytes);
  bool WantsTidying() const;
  void BeginTidying();
  bool is_quiet() const { return looks_since_write_ >= limits_.idle_looks; }
  // Whether it could. On the lazy thread.
  bool Tidy();

  const World world_;
  const SpaceLimits limits_;
  // As the limits said, or as it was set since.
  std::atomic<std::uint64_t> free_bytes_min_;
  const std::string folder_;
  DiskReport last_;
  bool has_failed_ = false;
  int looks_until_reserve_ = 0;
  bool has_looked_ = false;
  // Of the gate, at the last look.
  std::uint64_t written_bytes_ = 0;
  // Written since tidying began last, or left by a time that did not succeed.
  std::atomic<std::uint64_t> untidy_bytes_ = 0;
  int looks_since_write_ = 0;
  int looks_since_tidying_ = 0;
  std::atomic<bool> is_tidying_ = false;
  SpaceReturns returns_;
};

}  // namespace wharf
