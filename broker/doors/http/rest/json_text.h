// JSON that a client wrote: read with bounds on how deep and how much it is, and without an
// exception. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "storage/base/status.h"

namespace wharf::rest {

// ArgumentError with the reason. `name`: what the text is, for the sentence.
Result<nlohmann::json> ParseJson(std::string_view name, std::string_view text);

// On one line, with nothing but printable ASCII in it; what is no UTF-8 is replaced.
std::string ToAscii(const nlohmann::ordered_json& value);
// The same of a text, in quotes.
std::string QuotedAscii(std::string_view text);

}  // namespace wharf::rest
