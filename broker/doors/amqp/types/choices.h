// Choices: of a type with few values, its name, what its values are on the wire, and their words,
// in the order of the enum. The generated types say them.
#pragma once

namespace wharf::amqp {

template <typename Enum>
struct Choices;

}  // namespace wharf::amqp
