// Value: what somebody wrote for a key, and what becomes of it.
//
// A file says text, numbers and truth apart, and each key takes only what it is; the environment
// and flags have nothing but text. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "broker/config/key.h"
#include "storage/base/status.h"

namespace wharf::config {

// What no key takes: "a table".
struct Unfit {
  std::string_view what;
};

using Value = std::variant<std::string, std::int64_t, bool, std::vector<std::string>, Unfit>;

// What a text, of a variable or a flag, means for this key.
Value ValueOfText(const Key& key, const std::string& text);

// Puts the value where it belongs; or says what the key takes: "a number from 1 to 4500, not 0".
Status Set(const Key& key, const Value& value, Settings& settings);
// Which of the texts of a list is none that the key takes, the first of them; nothing: it is no
// list, or what is wrong is wrong with all of it.
std::optional<std::size_t> BadTextOf(const Key& key, const Value& value);
// What it is in `from`.
void Copy(const Key& key, const Settings& from, Settings& to);

// What the key takes, in a sentence: "a number from 1 to 4500"; and for --help: "1..4500".
std::string AllowedOf(const Key& key);
std::string SyntaxOf(const Key& key);

// As it stands in a file: `"64MiB"`, `4500`, `true`.
std::string LiteralOf(const Key& key, const Settings& settings);

}  // namespace wharf::config
