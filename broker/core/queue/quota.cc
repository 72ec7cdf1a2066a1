#include "broker/core/queue/quota.h"

#include <fmt/core.h>

namespace wharf {

std::int64_t Quota::bytes() const {
  return main_.counters().all_bytes() + dead_letter_.counters().all_bytes() +
         (outlet_ == nullptr ? 0 : outlet_->bytes());
}

void Quota::CountInto(std::int64_t* total) {
  main_.CountInto(total);
  dead_letter_.CountInto(total);
}

void Quota::CountIntoNamespace(NamespaceSize* size) {
  main_.CountIntoNamespace(size);
  dead_letter_.CountIntoNamespace(size);
}

Status Quota::CheckNamespace(std::int64_t bytes_more) const {
  const NamespaceSize* const size = main_.namespace_size();
  return size == nullptr ? Status() : size->CheckRoom(bytes_more);
}

Status Quota::CheckRoom(std::int64_t bytes_more) const {
  const std::int64_t size = bytes() + bytes_more;
  const QueueDescription& description = record_.description;
  if (is_counted_elsewhere() || size < description.bytes_max()) return {};
  return {ErrorCode::kQuotaExceeded,
          fmt::format("The maximum entity size has been reached or exceeded for {}: '{}'. Size of "
                      "entity in bytes:{}, Max entity size in bytes:{}",
                      record_.kind == EntityKind::kTopic ? "Topic" : "Queue", description.name,
                      size, description.bytes_max())};
}

Status Quota::CheckSize(std::int64_t size) const {
  const QueueDescription& description = record_.description;
  if (is_counted_elsewhere() || size <= description.message_bytes_max()) return {};
  return {ErrorCode::kMessageSizeExceeded,
          fmt::format("the message has {} bytes, more than the {} that '{}' takes", size,
                      description.message_bytes_max(), description.name)};
}

}  // namespace wharf
