// SelectorWord: the words of a message selector of JMS, in their order. A pure function; used by
// Selector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "storage/base/status.h"

namespace wharf::amqp::jms {

struct SelectorWord {
  enum class Kind : std::uint8_t {
    kName,
    kNumber,
    kText,        // In quotes.
    kBoolean,     // TRUE, FALSE.
    kArithmetic,  // + - * /
    kOther,       // Words of the language in capital letters, comparisons, ( ) and commas.
  };
  Kind kind = Kind::kOther;
  std::string text{};
  // Where it begins in the selector, in bytes.
  std::size_t at = 0;

  bool Is(std::string_view word) const { return kind == Kind::kOther && text == word; }
};

// An error tells the first character that no selector has.
Result<std::vector<SelectorWord>> SelectorWordsOf(std::string_view selector);

}  // namespace wharf::amqp::jms
