#include "tools/wharf/bench/bench_queue.h"

#include <algorithm>
#include <cstdint>
#include <random>

#include <fmt/core.h>

#include "tools/wharf/bench/bounds.h"

namespace wharf::tool {
namespace {

constexpr std::int64_t kRoomForPropertiesKilobytes = 64;

// Messages of `body_size` fit, and as many as the disk holds.
v1::QueueProperties PropertiesOf(const std::string& name, std::size_t body_size) {
  v1::QueueProperties queue;
  queue.set_name(fmt::format("{}-{:08x}", name, std::random_device()()));
  queue.set_max_size_in_megabytes(kNoQuotaMegabytes);
  queue.set_max_message_size_in_kilobytes(std::max<std::int64_t>(
      1024, static_cast<std::int64_t>(body_size / 1024) + kRoomForPropertiesKilobytes));
  return queue;
}

}  // namespace

BenchQueue::BenchQueue(Program& program, const std::string& name, std::size_t body_size)
    : client_(program.client()),
      queue_(PropertiesOf(name, body_size)),
      cleanup_(program, fmt::format("the queue '{}'", queue_.name()),
               [this] { return client_.management().DeleteQueue(queue_.name()); }) {}

Status BenchQueue::Create() {
  return cleanup_.Make([this] { return client_.management().CreateQueue(queue_).status(); });
}

}  // namespace wharf::tool
