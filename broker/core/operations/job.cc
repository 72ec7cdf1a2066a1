#include "broker/core/operations/job.h"

#include <algorithm>

namespace wharf {
namespace {

bool HasReason(const StoredMessage& message, const std::string& reason) {
  for (const auto& [name, value] : message.message.application_properties) {
    if (name != kDeadLetterReason) continue;
    const auto* text = std::get_if<std::string>(&value);
    return text != nullptr && *text == reason;
  }
  return false;
}

}  // namespace

bool MessageSelection::Takes(const StoredMessage& message) const {
  if (enqueued_from && message.enqueued_at < *enqueued_from) return false;
  if (enqueued_before && message.enqueued_at >= *enqueued_before) return false;
  if (!numbers.empty() && !std::binary_search(numbers.begin(), numbers.end(), message.number)) {
    return false;
  }
  return !dead_letter_reason || HasReason(message, *dead_letter_reason);
}

}  // namespace wharf
