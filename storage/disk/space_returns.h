// SpaceReturns: has the store give back what is dead, step by step and no faster than it may.
//
// Part of the SpaceKeeper, whose looks are its clock. Steps run on the lazy thread, one at a time;
// when there was nothing to do, the next comes after a while.
#pragma once

#include <atomic>
#include <functional>

#include "storage/disk/return_pace.h"
#include "storage/store_space.h"

namespace wharf {

class SpaceReturns {
 public:
  using RunLazily = std::function<void(std::function<void()> work)>;

  // The store outlives it, and so does the thread of `run_lazily`.
  SpaceReturns(StoreSpace& store, RunLazily run_lazily, const ReturnPace::Limits& limits);

  // Whether the disk is short of space, and whether nothing is written.
  void Look(bool is_scarce, bool is_quiet);

  // Whether what was deleted is still in memory, as of the last step.
  bool waits_for_flush() const { return waits_for_flush_; }

 private:
  void Step(bool is_quiet);

  StoreSpace& store_;
  const RunLazily run_lazily_;
  const ReturnPace::Limits limits_;
  ReturnPace pace_;
  int looks_since_step_ = 0;
  std::atomic<bool> is_stepping_ = false;
  std::atomic<bool> has_more_ = false;
  std::atomic<bool> waits_for_flush_ = false;
};

}  // namespace wharf
