// RequestWatch: how long what was asked took until it was answered, and how often there was no room
// for it. Counted on any thread, read on any.
#pragma once

#include <atomic>
#include <cstdint>

#include "broker/engine/requests/slow_log.h"
#include "broker/requests/request_list.h"
#include "storage/base/latency.h"

namespace wharf {

struct RequestWatch {
  Latency sends;
  Latency settlements;
  // That heard ServiceBusy.
  std::atomic<std::uint64_t> throttled = 0;
  // Those that took long.
  SlowLog slow;

  // Where requests of this kind are counted; null: nowhere.
  template <typename Request>
  Latency* LatencyOf() {
    if constexpr (std::is_same_v<Request, SendRequest>) return &sends;
    if constexpr (std::is_same_v<Request, SettleRequest>) return &settlements;
    return nullptr;
  }
  void NoteAnswer(const Status& status) {
    if (status.code() == ErrorCode::kServiceBusy) throttled.fetch_add(1, std::memory_order_relaxed);
  }
};

}  // namespace wharf
