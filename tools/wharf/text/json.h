// Json: JSON whose objects keep the order in which they were filled.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace wharf::tool {

using Json = nlohmann::ordered_json;

// On one line. Text that is not UTF-8 is shown with replacement characters rather than not at all.
inline std::string ToLine(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace wharf::tool
