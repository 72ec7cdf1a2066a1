// Fate: what a receiver does with a message that it got.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/crash/clients/recorded_client.h"
#include "tools/crash/runs/dice.h"

namespace wharf::crash {

enum class Fate : std::uint8_t {
  kComplete,
  kAbandon,
  kAbandonMarked,
  kDelay,  // Abandon, and let it rest.
  kDeadLetter,
  kRelease,
  kDefer,
  kRenew,   // And then complete.
  kHold,    // Settle it later, with the token.
  kForget,  // The lock must end by itself.
};

Fate DrawFate(const DeliveryRecord& delivery, Dice& dice);
// Only of those that settle.
Settling SettlingFor(Fate fate, Dice& dice);

// The tokens of some deliveries by what shall become of them.
std::map<Fate, std::vector<std::string>> DrawFates(const std::vector<DeliveryRecord>& deliveries,
                                                   Dice& dice);

}  // namespace wharf::crash
