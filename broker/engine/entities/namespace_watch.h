// NamespaceWatch: how large all entities are together, and whether their bound is near.
//
// Told by the shard with each commit; the log hears of it when the bound becomes near, well before
// a send is refused. Owned by the Shard; read on any thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "broker/core/entities/catalog.h"
#include "broker/core/queue/namespace_size.h"
#include "broker/requests/broker_statistics.h"

namespace wharf {

class NamespaceWatch {
 public:
  // On the shard's thread.
  void Note(const NamespaceSize& size);
  void SetLimits(const BrokerLimits& limits) {
    entities_max_ = limits.entities_max;
    subscriptions_max_ = limits.subscriptions_max;
  }

  NamespaceUse use() const {
    return {.bytes = bytes_,
            .bytes_max = bytes_max_,
            .is_near = is_near_,
            .entities_max = entities_max_,
            .subscriptions_max = subscriptions_max_};
  }

 private:
  std::atomic<std::uint64_t> bytes_ = 0;
  std::atomic<std::uint64_t> bytes_max_ = 0;
  std::atomic<bool> is_near_ = false;
  std::atomic<std::size_t> entities_max_ = 0;
  std::atomic<std::size_t> subscriptions_max_ = 0;
};

}  // namespace wharf
