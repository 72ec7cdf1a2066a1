#include "storage/disk/space_returns.h"

#include <utility>

#include <spdlog/spdlog.h>

namespace wharf {

SpaceReturns::SpaceReturns(StoreSpace& store, RunLazily run_lazily,
                           const ReturnPace::Limits& limits)
    : store_(store), run_lazily_(std::move(run_lazily)), limits_(limits), pace_(limits) {}

void SpaceReturns::Look(bool is_scarce, bool is_quiet) {
  pace_.AddLook(is_scarce);
  ++looks_since_step_;
  if (is_stepping_ || !pace_.may_step()) return;
  if (!has_more_ && looks_since_step_ < limits_.looks_between) return;
  is_stepping_ = true;
  looks_since_step_ = 0;
  run_lazily_([this, is_quiet] {
    Step(is_quiet);
    is_stepping_ = false;
  });
}

// After an error it goes on as after nothing.
void SpaceReturns::Step(bool is_quiet) {
  const Result<StoreSpace::Step> step = store_.ReturnSpace(is_quiet);
  if (!step.ok()) spdlog::warn("{}", step.status().message());
  has_more_ = step.ok() && step->bytes > 0;
  waits_for_flush_ = step.ok() && step->waits_for_flush;
  if (step.ok()) pace_.Spend(step->bytes);
}

}  // namespace wharf
