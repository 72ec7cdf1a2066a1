// A property of an application as the value of an HTTP header (USR-1, USR-5):
//
//   "red"   a string, in double quotes, with the escapes of JSON
//   "Thu, 01 Jan 1970 00:00:00 GMT"   an instant
//   17, 1.5, true, null   bare, as JSON has it
//
// Anything else that stands there bare is a string. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "broker/core/messages/property_value.h"

namespace wharf::rest {

// The header was written by anybody. Always UTF-8: bytes that are none are taken for Latin-1.
PropertyValue PropertyFrom(std::string_view header);

// Printable ASCII. Nothing for what no header can say: lists, maps, bytes.
std::optional<std::string> HeaderOf(const PropertyValue& value);

std::string AsUtf8(std::string_view text);

}  // namespace wharf::rest
