// Arguments: what the words of a command mean: durations, queue descriptions, messages.
//
// Everything here throws std::runtime_error if the words mean nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/core/queue/queue.h"
#include "tests/scenarios/script.h"

namespace wharf {

// A property of a queue, as a word in a scenario.
struct QueueProperty {
  std::string_view name;
  std::function<std::string(const QueueDescription&)> get;
  std::function<void(QueueDescription&, const std::string&)> set;
};
const std::vector<QueueProperty>& QueueProperties();

// A text that a sender may set, as a word in a scenario.
struct MessageProperty {
  std::string_view name;
  std::optional<std::string> Message::*field;
};
const std::vector<MessageProperty>& MessageProperties();

// "250ms", "31s", "5m" or "2h".
Duration DurationOf(const std::string& text);
std::uint64_t NumberOf(const Command& command, const std::string& name, std::uint64_t otherwise);
QueueDescription DescriptionOf(const Command& command);
// With `body=...` or so many `body-bytes=`.
Message MessageOf(const Command& command);
// `property.color=red` as the application property color, `property.size:int=2` as a whole number.
PropertyMap PropertiesOf(const Command& command);
// `rule=name`, and one of `true`, `false`, `filter=` an SQL filter, `correlation` with properties
// and message texts; perhaps `action=`.
RuleDescription RuleOf(const Command& command);
ReceiveMode ModeOf(const Command& command);

}  // namespace wharf
