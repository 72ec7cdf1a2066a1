// Rewriting a section: what is changed is changed field by field, everything else keeps its bytes
// (ENC-3). A section that is not there (empty) comes into being where something is to stand in it.
//
// What they are given was split by SplitSections, so it can be read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "broker/doors/amqp/codec/value.h"

namespace wharf::amqp {

// Nothing takes it away.
using Change = std::optional<Value>;

// By key; of annotations and footers keys are symbols, of application properties strings, and an
// entry whose key is neither is kept. New ones come behind the others, in the order of their keys.
using MapChanges = std::map<std::string, Change, std::less<>>;
std::string RewriteMap(std::uint64_t descriptor, std::string_view section,
                       const MapChanges& changes);

// By the place of the field, counted from 0, in a header or in properties.
using ListChanges = std::map<std::size_t, Change>;
std::string RewriteList(std::uint64_t descriptor, std::string_view section,
                        const ListChanges& changes);

// Fields of properties that a broker adds or changes.
namespace properties_field {
inline constexpr std::size_t kMessageId = 0;
inline constexpr std::size_t kTo = 2;
inline constexpr std::size_t kSubject = 3;
inline constexpr std::size_t kReplyTo = 4;
inline constexpr std::size_t kCorrelationId = 5;
inline constexpr std::size_t kContentType = 6;
inline constexpr std::size_t kAbsoluteExpiryTime = 8;
inline constexpr std::size_t kGroupId = 10;
inline constexpr std::size_t kReplyToGroupId = 12;
}  // namespace properties_field

}  // namespace wharf::amqp
