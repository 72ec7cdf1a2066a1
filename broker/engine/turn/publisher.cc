#include "broker/engine/turn/publisher.h"

#include <utility>

namespace wharf {

void Publisher::Publish(Tellings tellings) {
  if (tellings.empty()) return;
  if (tellings.are_brief() && under_way_->load(std::memory_order_acquire) == 0) {
    return std::move(tellings).Tell();
  }
  under_way_->fetch_add(1, std::memory_order_relaxed);
  thread_.Post([tellings = std::move(tellings), under_way = under_way_]() mutable {
    std::move(tellings).Tell();
    under_way->fetch_sub(1, std::memory_order_release);
  });
}

}  // namespace wharf
