// DecimalText: what the text of a Decimal may be: an optional sign, digits, and a point anywhere
// among them, "-12.50". An exponent is none: the text would not say the scale.
//
// Asked by the doors for values that come, and by the command line for those it writes down. A pure
// function.
#pragma once

#include <string_view>

namespace wharf {

constexpr bool IsDecimal(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text.find_first_not_of("0123456789.") == std::string_view::npos &&
         text.find_first_of("0123456789") != std::string_view::npos &&
         text.find('.') == text.rfind('.');
}

}  // namespace wharf
