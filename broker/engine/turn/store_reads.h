// StoreReads: reads of the store by its Readers, behind the commit of a turn.
//
// Of what nobody waits for a few are under way at a time, from their turn until what they brought
// is planned: the others stand in line, so that a thousand entities that are reclaimed together do
// not bring a thousand pages. Owned by the Shard, used on its thread.
#pragma once

#include <cstddef>
#include <deque>

#include "broker/engine/turn/reads.h"

namespace wharf {

class StoreReads final : public Reads {
 public:
  static constexpr std::size_t kBackgroundMax = 8;

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
