// Publisher: lets callers hear of committed turns, one turn at a time, in order.
//
// On a thread of its own the doors make their bytes of what is told, while the shard plans on. A
// brief answer or two, with nothing being told there, are told at once: to wake that thread would
// cost their caller more than the bytes cost the shard. Owned by the Shard, used on its thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "broker/engine/turn/tellings.h"
#include "storage/base/executor.h"

namespace wharf {

class Publisher {
 public:
  // `thread` is one thread, and outlives what is posted to it.
  explicit Publisher(Executor& thread) : thread_(thread) {}

  void Publish(Tellings tellings);

 private:
  Executor& thread_;
  // Turns that are told, or wait for it. Outlives this, as what is posted may.
  const std::shared_ptr<std::atomic<std::size_t>> under_way_ =
      std::make_shared<std::atomic<std::size_t>>(0);
};

}  // namespace wharf
