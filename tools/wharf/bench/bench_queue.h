// BenchQueue: the queue that a measurement uses, with a name of its own, gone afterwards.
//
// Made and used by the main thread, one at a time; an interrupt deletes it, too (cleanup.h).
#pragma once

#include <string>

#include "tools/wharf/bench/cleanup.h"

namespace wharf::tool {

class BenchQueue {
 public:
  // `name` gets a random suffix. Messages of `body_size` fit, and as many as the disk holds.
  BenchQueue(Program& program, const std::string& name, std::size_t body_size);

  // Before Create.
  void RequireSessions() { queue_.set_requires_session(true); }
  Status Create();
  // Leaves it in place at the end.
  void Keep() { cleanup_.Keep(); }
  // Before the outcome is told.
  void WaitIfInterrupted() { cleanup_.WaitIfInterrupted(); }
  const std::string& name() const { return queue_.name(); }

 private:
  client::Client& client_;
  v1::QueueProperties queue_;
  Cleanup cleanup_;  // Last: it uses the rest.
};

}  // namespace wharf::tool
