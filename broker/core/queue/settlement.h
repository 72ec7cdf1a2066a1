// Settlement: what a receiver wants done with a message that it holds.
//
// A plain value; made by doors, done by Settling, or by ByNumber for a message that is not locked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "broker/core/messages/property_value.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

enum class SettleVerb : std::uint8_t { kComplete, kAbandon, kDeadLetter, kRelease, kDefer };

struct Settlement {
  SettleVerb verb = SettleVerb::kComplete;
  // Abandon, defer and dead-letter: application properties to set (STL-7).
  PropertyMap properties_to_modify{};
  // Abandon: how long the message rests, or until when (RTY-1); at most one is set.
  std::optional<Duration> delay{};
  std::optional<Timestamp> delay_until{};
  // Dead-letter.
  std::optional<std::string> reason{};
  std::optional<std::string> description{};
};

// Checks what can be checked without the message (STL-8, RTY-1).
Status CheckSettlement(const Settlement& settlement);

}  // namespace wharf
