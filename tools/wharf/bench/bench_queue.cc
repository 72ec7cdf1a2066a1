#include "tools/wharf/bench/bench_queue.h"

#include <algorithm>
#include <cstdint>
#include <random>

#include <fmt/core.h>

namespace wharf::tool {
namespace {

constexpr std::int64_t kNoQuotaMegabytes = std::int64_t{1} << 30;
constexpr std::int64_t kRoomForPropertiesKilobytes = 64;

}  // namespace

BenchQueue::BenchQueue(Program& program, const std::string& name, std::size_t body_size)
    : client_(program.client()), err_(program.err) {
  queue_.set_name(fmt::format("{}-{:08x}", name, std::random_device()()));
  queue_.set_max_size_in_megabytes(kNoQuotaMegabytes);
  queue_.set_max_message_size_in_kilobytes(std::max<std::int64_t>(
      1024, static_cast<std::int64_t>(body_size / 1024) + kRoomForPropertiesKilobytes));
}

BenchQueue::~BenchQueue() {
  if (!is_created_) return;
  const Status status = client_.management().DeleteQueue(queue_.name());
  if (!status.ok()) err_.Print("wharf: {}\n", status.ToString());
}

Status BenchQueue::Create() {
  Status status = client_.management().CreateQueue(queue_).status();
  is_created_ = status.ok();
  return status;
}

}  // namespace wharf::tool
