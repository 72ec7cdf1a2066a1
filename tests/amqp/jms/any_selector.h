// Any selector: what a JMS consumer says that it wants, whatever it is. Used by a fuzzer and by a
// test that has random ones.
#pragma once

#include <string>
#include <string_view>

namespace wharf::amqp::jms {

// It is a filter, which compiles and can be asked about any message, or it is refused by its name,
// and where a column is told that is one of its own, or the one behind its end. Aborts if not.
// Returns whether it is a filter.
bool TryAnySelector(std::string_view text);

}  // namespace wharf::amqp::jms
