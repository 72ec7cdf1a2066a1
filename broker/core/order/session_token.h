// Tokens of sessions, and by whom a session is held.
//
// A token is told to its holder, who goes on with it when the broker is back; a link of AMQP has
// none to come back with. So the tokens of sessions that links hold are told apart by their first
// half, wherever they stand: whoever loads them knows that nobody holds these any more (SES-24).
// The other half is as good as a key, and no client ever sees it. Pure functions.
#pragma once

#include <cstdint>
#include <limits>

#include "storage/base/ids.h"
#include "storage/base/random.h"

namespace wharf {

enum class HeldBy : std::uint8_t { kToken, kLink };

// "by link:", as the bytes stand in a record.
inline constexpr std::uint64_t kLinkTokenHigh = 0x3a6b6e696c207962;

inline LockToken NewSessionToken(HeldBy held_by, Random& random) {
  const std::uint64_t high = random.Next();
  return {held_by == HeldBy::kLink ? kLinkTokenHigh : high, random.Next()};
}

constexpr bool IsOfLink(const LockToken& token) {
  return token >= LockToken(kLinkTokenHigh, 0) &&
         token <= LockToken(kLinkTokenHigh, std::numeric_limits<std::uint64_t>::max());
}

}  // namespace wharf
