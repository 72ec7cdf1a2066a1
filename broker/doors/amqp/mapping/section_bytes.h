// SectionBytes: a section with a list, a map or binary in it, taken from its bytes and written
// again: its descriptor, its format code, and what stands inside.
//
// What is usual is a descriptor of one byte and the shortest code; only what differs from it is
// said. A section without contents is not written unless its form says that it was there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "broker/core/messages/amqp_form.h"
#include "broker/doors/amqp/codec/reader.h"

namespace wharf::amqp {

enum class SectionKind : std::uint8_t { kList, kMap, kBinary };

// Enters the section and stops before its list, map or binary; what its form is, with the code that
// stands there.
AmqpForm::Section EnterSection(Reader& reader, std::string_view section, std::uint64_t descriptor);

// The form without a code that would be taken anyway for contents of these sizes.
AmqpForm::Section Unusual(AmqpForm::Section form, SectionKind kind, std::size_t bytes,
                          std::uint32_t count);

// The head of a section whose contents come behind it. Of binary the count is 1.
void WriteHead(std::string& out, std::uint64_t descriptor, const AmqpForm::Section& form,
               SectionKind kind, std::uint64_t bytes, std::uint32_t count);

// The whole section.
void WriteSection(std::string& out, std::uint64_t descriptor, const AmqpForm::Section& form,
                  SectionKind kind, std::string_view contents, std::uint32_t count);

}  // namespace wharf::amqp
