// Keys: the table of all that can be configured.
//
// The flags and --help, the variables, the keys of a file, `wharfd config print` and
// deploy/wharfd.toml are made of it, so a new key is a line here and a field of Settings. Constant;
// any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "broker/config/key.h"

namespace wharf::config {

std::span<const Key> Keys();

// Null if there is none of this name.
const Key* FindKey(std::string_view name);
// The place of a key in the table.
std::size_t PlaceOf(const Key& key);

// The key that was probably meant by a name that is none.
std::optional<std::string> NearestKey(std::string_view name);

}  // namespace wharf::config
