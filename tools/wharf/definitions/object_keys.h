// ObjectKeys: what may stand in an object of a file, and what was meant by what may not.
//
// Used by what reads definitions. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "storage/base/status.h"
#include "tools/wharf/text/json.h"
#include "tools/wharf/text/json_place.h"

namespace wharf::tool {

// "; did you mean \"queues\"?", or which words there are.
std::string WhatWasMeant(std::string_view word, const std::vector<std::string>& words);

// ArgumentError, naming the place: it is no object, or has other keys than these.
Status CheckObject(const Json& json, const JsonPlace& place, const std::vector<std::string>& keys);
// ArgumentError: there is no such key, or its value is no text.
Result<std::string> TextOf(const Json& object, const JsonPlace& place, std::string_view key);
// Nothing if there is no such key. ArgumentError: its value is no list.
Result<Json::array_t> ListOf(const Json& object, const JsonPlace& place, std::string_view key);

}  // namespace wharf::tool
