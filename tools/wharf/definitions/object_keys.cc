#include "tools/wharf/definitions/object_keys.h"

#include <algorithm>

#include <fmt/core.h>

#include "absl/strings/str_join.h"
#include "storage/base/nearest_word.h"

namespace wharf::tool {

std::string WhatWasMeant(std::string_view word, const std::vector<std::string>& words) {
  if (const auto near = Nearest(word, words)) return fmt::format("; did you mean \"{}\"?", *near);
  return fmt::format("; there are {}", absl::StrJoin(words, ", "));
}

Status CheckObject(const Json& json, const JsonPlace& place, const std::vector<std::string>& keys) {
  if (!json.is_object()) return place.Bad("this must be an object");
  for (const auto& [key, value] : json.items()) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    return place.Key(key).Bad("there is no such key" + WhatWasMeant(key, keys));
  }
  return {};
}

Result<std::string> TextOf(const Json& object, const JsonPlace& place, std::string_view key) {
  const auto found = object.find(key);
  if (found == object.end()) return place.Bad(fmt::format("the key \"{}\" is missing", key));
  if (!found->is_string()) return place.Key(key).Bad("the value must be a string");
  return found->get<std::string>();
}

Result<Json::array_t> ListOf(const Json& object, const JsonPlace& place, std::string_view key) {
  const auto found = object.find(key);
  if (found == object.end()) return Json::array_t();
  if (!found->is_array()) return place.Key(key).Bad("the value must be a list");
  return found->get_ref<const Json::array_t&>();
}

}  // namespace wharf::tool
