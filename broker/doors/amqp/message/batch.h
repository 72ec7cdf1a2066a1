// SplitBatch: the messages of a batch, which is a message of format 0x80013700 whose data sections
// are each a whole encoded message. Its other sections copy the first one and are nobody's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "broker/doors/amqp/codec/reader.h"
#include "storage/base/status.h"

namespace wharf::amqp {

inline constexpr std::uint32_t kBatchFormat = 0x80013700;

// Views of the bytes of the batch. One without a message, or with more than `messages_max`, is an
// error; whether they are messages is seen when they are split.
Result<std::vector<std::string_view>> SplitBatch(std::string_view batch, std::size_t messages_max,
                                                 const DecodeLimits& limits);

// Of a body of data sections, what stands in each.
Result<std::vector<std::string_view>> DataOf(std::string_view body, std::size_t sections_max);

}  // namespace wharf::amqp
