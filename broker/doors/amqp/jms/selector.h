// Selector: a message selector of JMS, as the SQL filter that takes the same messages (JMS-6).
//
// What both languages have is passed on; BETWEEN, boolean properties that stand alone, Java's
// numbers and the headers of a message are written as the filter has them. What JMS does not have
// is refused, though the filter would take it, and so is what cannot be honoured: by its name.
// Nothing recurses; the filter checks the grammar. A pure function; used when a consumer attaches.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "storage/base/status.h"

namespace wharf::amqp::jms {

// Longer ones are not looked at: a filter has 1024 characters.
inline constexpr std::size_t kSelectorBytesMax = 4096;

// The text of a filter, which compiles; empty if the selector is (it takes everything). An error
// tells its column in the selector, in characters from 1.
Result<std::string> FilterTextOf(std::string_view selector);

}  // namespace wharf::amqp::jms
