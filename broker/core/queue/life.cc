#include "broker/core/queue/life.h"

#include <algorithm>

namespace wharf {
namespace {

// 9999-12-31T23:59:59.999999Z: what lives longer is said to expire then (TTL-3).
constexpr Timestamp kLatestExpiry{Duration(253402300799999999)};

}  // namespace

std::optional<Duration> LifeOf(const QueueDescription& description, const Message& message) {
  const Duration limit = description.default_message_time_to_live;
  if (limit == kUnlimited) return message.time_to_live;
  return std::min(message.time_to_live.value_or(limit), limit);
}

void StartLife(const QueueDescription& description, StoredMessage& stored) {
  std::optional<Duration>& life = stored.message.time_to_live;
  life = LifeOf(description, stored.message);
  stored.facts.expires_at = life && !description.forward_to
                                ? std::min(After(stored.enqueued_at, *life), kLatestExpiry)
                                : kNever;
}

}  // namespace wharf
