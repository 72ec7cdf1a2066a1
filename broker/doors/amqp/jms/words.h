// The words by which JMS clients ask for things, and are told that they get them (doors.md,
// section 16). Used by all that serves them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "broker/doors/amqp/codec/primitives.h"

namespace wharf::amqp::jms {

// Capabilities of a connection.
inline constexpr std::string_view kSoleConnection = "sole-connection-for-container";
inline constexpr std::string_view kDelayedDelivery = "DELAYED_DELIVERY";
inline constexpr std::string_view kAnonymousRelay = "ANONYMOUS-RELAY";
inline constexpr std::string_view kSharedSubscriptions = "SHARED-SUBS";
// A property of the open of a connection that is refused.
inline constexpr std::string_view kEstablishmentFailed = "amqp:connection-establishment-failed";

// Capabilities of a terminus.
inline constexpr std::string_view kQueue = "queue";
inline constexpr std::string_view kTemporaryQueue = "temporary-queue";
inline constexpr std::string_view kTopic = "topic";
inline constexpr std::string_view kTemporaryTopic = "temporary-topic";
inline constexpr std::string_view kShared = "shared";
// Of a shared subscription: of no client id.
inline constexpr std::string_view kGlobal = "global";

// Of a message: when it is delivered, as a time or in milliseconds.
inline constexpr std::string_view kDeliveryTime = "x-opt-delivery-time";

inline bool Has(const std::vector<Symbol>& symbols, std::string_view word) {
  return std::any_of(symbols.begin(), symbols.end(),
                     [word](const Symbol& each) { return each.text == word; });
}

}  // namespace wharf::amqp::jms
