// Like: whether a text matches a pattern of LIKE (SQL-20).
#pragma once

#include <optional>
#include <string_view>

namespace wharf::sql {

// The one character that `text` is, if it is one (SQL-21).
std::optional<std::string_view> OneCharacter(std::string_view text);

// The whole text, with regard to case: `%` is any run of characters, `_` is one. `escape` is a
// character, or empty; what follows it stands for itself. In time that grows no faster than the
// product of the lengths, and without memory.
bool Like(std::string_view text, std::string_view pattern, std::string_view escape);

}  // namespace wharf::sql
