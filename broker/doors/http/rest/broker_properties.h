// BrokerProperties: what the broker knows of a message, as one JSON object in a header or in an
// entry of a batch (RST-10, RST-11). Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "broker/core/messages/message.h"
#include "broker/core/queue/queue.h"
#include "storage/base/status.h"

namespace wharf::rest {

// Of the value of a header of an answer: the longest property fits in ASCII, and many clients read
// no lines above 64 KiB.
inline constexpr std::size_t kHeaderBytesMax = 40 * 1024;

// What a sender says. Properties that only the broker tells, and those that nobody knows, mean
// nothing here. ArgumentError names the one that is not what it must be.
Status TakeBrokerProperties(const nlohmann::json& properties, Message& message);
// The same of the header.
Status TakeBrokerPropertiesHeader(std::string_view header, Message& message);

// Of a message that is delivered, in printable ASCII; the delivery under way is counted. What is
// longer than a header may be loses its longest texts, which are named in `omitted`.
std::string BrokerPropertiesOf(const Delivered& delivered, std::vector<std::string>& omitted);
// Of a lock that was renewed.
std::string BrokerPropertiesOf(const LockToken& token, Timestamp until);

}  // namespace wharf::rest
