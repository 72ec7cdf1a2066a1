// BenchQueue: the queue that a measurement uses, with a name of its own, gone afterwards.
#pragma once

#include <string>

#include "tools/wharf/program.h"

namespace wharf::tool {

class BenchQueue {
 public:
  // `name` gets a random suffix. Messages of `body_size` fit, and as many as the disk holds.
  BenchQueue(Program& program, const std::string& name, std::size_t body_size);
  ~BenchQueue();
  BenchQueue(const BenchQueue&) = delete;
  BenchQueue& operator=(const BenchQueue&) = delete;

  // Before Create.
  void RequireSessions() { queue_.set_requires_session(true); }
  Status Create();
  // Leaves it in place at the end.
  void Keep() { is_created_ = false; }
  const std::string& name() const { return queue_.name(); }

 private:
  client::Client& client_;
  Output& err_;
  v1::QueueProperties queue_;
  bool is_created_ = false;
};

}  // namespace wharf::tool
