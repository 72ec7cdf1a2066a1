#include "broker/core/queue/placement.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "broker/core/queue/partitioned_text.h"

namespace wharf {
namespace {

bool IsSet(const std::optional<std::string>& key) { return key && !key->empty(); }

std::uint32_t PriorityOf(const Message& message) {
  if (!message.carried) return kPriorityDefault;
  return message.carried->priority.value_or(kPriorityDefault);
}

}  // namespace

Status Placement::Check(const Message& message) const {
  WHARF_RETURN_IF_ERROR(CheckSession(message));
  if (!description().enable_priority || PriorityOf(message) <= kPriorityMax) return {};
  return {ErrorCode::kArgumentOutOfRange,
          fmt::format("'{}' delivers by priority: that of a message must be from 0 to {}, not {}",
                      description().name, kPriorityMax, PriorityOf(message))};
}

// SND-8.
Status Placement::CheckSession(const Message& message) const {
  if (!description().requires_session) return {};
  if (IsSet(message.session_id)) return {};
  return {ErrorCode::kInvalidOperation,
          "The SessionId was not set on a message, and it cannot be sent to the entity. Entities "
          "that have session support enabled can only receive messages that have the SessionId set "
          "to a valid value."};
}

std::optional<std::string_view> Placement::KeyOf(const Message& message) const {
  if (IsSet(message.session_id)) return *message.session_id;
  if (IsSet(message.partition_key)) return *message.partition_key;
  const bool has_id = description().requires_duplicate_detection && HasId(message);
  return has_id ? std::optional<std::string_view>(*message.message_id) : std::nullopt;
}

Status Placement::CheckSameKey(const Message& first, const Message& other) const {
  if (!description().enable_partitioning) return {};
  if (KeyOf(first) == KeyOf(other)) return {};
  return {ErrorCode::kInvalidOperation,
          fmt::format("'{}' {} must have the same session_id or partition_key{}",
                      description().name, kIsPartitioned,
                      description().requires_duplicate_detection
                          ? ", which goes before their message ids"
                          : "")};
}

Status Placement::CheckHasKey(const Message& message) const {
  if (!description().enable_partitioning || KeyOf(message)) return {};
  return {ErrorCode::kInvalidOperation,
          fmt::format("'{}' is partitioned: a message that is sent in a transaction must have a "
                      "session_id or partition_key",
                      description().name)};
}

PartitionId Placement::PartitionFor(const Message& message) {
  if (!description().enable_partitioning) return 0;
  if (const auto key = KeyOf(message)) return PartitionOfKey(*key);
  is_turn_used_ = true;
  return turn_;
}

void Placement::PassTurn() {
  if (!std::exchange(is_turn_used_, false)) return;
  turn_ = static_cast<PartitionId>((turn_ + 1) % kPartitions);
}

// A message that comes from elsewhere may have said more than counts here. Scheduled ones are in no
// order with others: they all wait in partition 0, and go to their own when their time comes.
void Placement::Take(StoredMessage& stored, bool is_scheduled) {
  const PartitionId partition = is_scheduled ? PartitionId{0} : PartitionFor(stored.message);
  stored.number = main_.TakeNumber(partition);
  stored.facts.session_id.clear();
  stored.facts.track.reset();
  if (description().requires_session) stored.facts.session_id = *stored.message.session_id;
  if (description().enable_priority) {
    stored.facts.track =
        static_cast<Tracks::Id>(std::min(PriorityOf(stored.message), kPriorityMax));
  }
  if (description().enable_partitioning && !description().requires_session) {
    stored.facts.track = partition;
  }
}

}  // namespace wharf
