#include "broker/filter/like.h"

#include <algorithm>

namespace wharf::sql {
namespace {

bool ContinuesCharacter(char c) { return (c & 0xC0) == 0x80; }

// Bytes of the character that `text`, which is not empty, begins with.
std::size_t FirstCharacterSize(std::string_view text) {
  std::size_t size = 1;
  while (size < text.size() && ContinuesCharacter(text[size])) ++size;
  return size;
}

// What is left of a text and of a pattern, where all before matched.
struct Rest {
  std::string_view text;
  std::string_view pattern;

  bool pattern_begins_with(std::string_view escape) const {
    return !escape.empty() && pattern.starts_with(escape);
  }

  // Consumes one character of the pattern, which is no `%`, and what it matches. False if it
  // matches nothing; an escape at the end of a pattern does not.
  bool Step(std::string_view escape) {
    if (text.empty()) return false;
    const std::size_t size = FirstCharacterSize(text);
    if (pattern_begins_with(escape)) {
      pattern.remove_prefix(escape.size());
    } else if (pattern.starts_with('_')) {
      pattern.remove_prefix(1);
      text.remove_prefix(size);
      return true;
    }
    const std::string_view character = text.substr(0, size);
    if (!pattern.starts_with(character)) return false;
    pattern.remove_prefix(size);
    text.remove_prefix(size);
    return true;
  }
};

}  // namespace

std::optional<std::string_view> OneCharacter(std::string_view text) {
  if (text.empty() || FirstCharacterSize(text) != text.size()) return std::nullopt;
  return text;
}

// Only the last `%` is ever tried again: whatever the ones before it could take, it can as well.
bool Like(std::string_view text, std::string_view pattern, std::string_view escape) {
  Rest rest{text, pattern};
  std::optional<Rest> after_run;
  while (!rest.text.empty() || !rest.pattern.empty()) {
    const bool is_run = rest.pattern.starts_with('%') && !rest.pattern_begins_with(escape);
    if (is_run) {
      rest.pattern.remove_prefix(1);
      if (rest.pattern.empty()) return true;
      after_run = rest;
      continue;
    }
    if (!rest.pattern.empty() && rest.Step(escape)) continue;
    if (!after_run || after_run->text.empty()) return false;
    after_run->text.remove_prefix(FirstCharacterSize(after_run->text));
    rest = *after_run;
  }
  return true;
}

}  // namespace wharf::sql
