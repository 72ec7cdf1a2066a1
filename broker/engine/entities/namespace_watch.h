// NamespaceWatch: how large all entities are together, and whether their bound is near.
//
// Told by the shard with each commit; the log hears of it when the bound becomes near, well before
// a send is refused. Owned by the Shard; read on any thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "broker/core/queue/namespace_size.h"
#include "broker/requests/broker_statistics.h"

namespace wharf {

class NamespaceWatch {
 public:
  // On the shard's thread.
  void Note(const NamespaceSize& size);

  NamespaceUse use() const {
    return {.bytes = bytes_, .bytes_max = bytes_max_, .is_near = is_near_};
  }

 private:
  std::atomic<std::uint64_t> bytes_ = 0;
  std::atomic<std::uint64_t> bytes_max_ = 0;
  std::atomic<bool> is_near_ = false;
};

}  // namespace wharf
