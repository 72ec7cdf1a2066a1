#include "replication/cluster_node/log_keeper.h"

#include <algorithm>

#include <boost/asio/post.hpp>

namespace wharf {

Status LogKeeper::Look(RaftNode& node, std::uint64_t known, std::optional<std::uint64_t> pinned) {
  const std::uint64_t flushed = flushed_;
  if (!is_asking_.exchange(true)) {
    const bool is_due = bound_.IsFlushDue(world_.log, flushed);
    boost::asio::post(thread_, [this, is_due] {
      if (const Status asked = AskDisk(is_due); !asked.ok()) world_.failed(asked);
      is_asking_ = false;
    });
  }
  const std::uint64_t end = bound_.CutIndex(world_.log, flushed, known);
  return node.CutLogUpTo(std::min(end, pinned.value_or(end)));
}

Status LogKeeper::AskDisk(bool flushes) {
  if (flushes) WHARF_RETURN_IF_ERROR(world_.store.Flush());
  const Result<StatePosition> position = world_.store.FlushedPosition();
  if (!position.ok()) return position.status();
  flushed_ = position->index;
  return {};
}

}  // namespace wharf
