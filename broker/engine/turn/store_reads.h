// StoreReads: reads of the store by its Readers, behind the commit of a turn.
//
// Of what nobody waits for a few are under way at a time, from their turn until what they brought
// is planned; the others stand in line. That line is bounded by the workers that stand in it, each
// of which asks for its next step when one of its own is planned: 8 steps of the Reclaimer, one of
// each of 64 jobs, one of SharedBodies, one of the DueSweeper, and one of each of 16 passes through
// sessions. Owned by the Shard, used on its thread.
#pragma once

#include <cstddef>
#include <deque>

#include "broker/engine/turn/reads.h"

namespace wharf {

class StoreReads final : public Reads {
 public:
  static constexpr std::size_t kBackgroundMax = 8;
  // More than all workers together may ask for.
  static constexpr std::size_t kWaitingMax = 128;

  StoreReads(const Readers& readers, Tasks& tasks) : readers_(readers), tasks_(tasks) {}

  using Reads::ReadAfter;
  void ReadAfter(Turn& turn, Urgency urgency, Work work) override;

 private:
  void Read(Work work);
  void BeginBackground();

  const Readers& readers_;
  Tasks& tasks_;
  std::size_t background_ = 0;
  std::deque<Work> waiting_;
};

}  // namespace wharf
