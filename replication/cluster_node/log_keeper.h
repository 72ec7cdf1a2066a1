// LogKeeper: keeps the log of a node short: has its state flushed when much is not, and cuts off
// what the state and the followers have.
//
// Looks on the node's thread; the disk is asked on a thread of its own, because a flush takes as
// long as a disk does.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include <boost/asio/thread_pool.hpp>

#include "replication/node/raft_node.h"
#include "storage/base/status.h"
#include "storage/rocks/rocks_store.h"
#include "storage/segments/log_bound.h"
#include "storage/segments/segment_log.h"

namespace wharf {

class LogKeeper {
 public:
  // What is pointed to outlives it. `failed`: the state cannot be flushed, or read; on its thread.
  struct World {
    RocksStore& store;
    const SegmentLog& log;
    std::function<void(const Status&)> failed;
  };

  LogKeeper(const LogBound& bound, const World& world) : bound_(bound), world_(world) {}
  // Waits for a flush that is under way.
  ~LogKeeper() { thread_.join(); }

  // `known`: what all followers have, as far as this node knows. `pinned`: a member that takes a
  // snapshot needs what is behind it.
  Status Look(RaftNode& node, std::uint64_t known, std::optional<std::uint64_t> pinned);

 private:
  Status AskDisk(bool flushes);

  const LogBound bound_;
  const World world_;
  std::atomic<std::uint64_t> flushed_ = 0;
  std::atomic<bool> is_asking_ = false;
  boost::asio::thread_pool thread_{1};
};

}  // namespace wharf
