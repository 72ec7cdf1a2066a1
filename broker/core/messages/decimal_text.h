// DecimalText: what the text of a Decimal may be: an optional sign, digits, and a point anywhere
// among them, "-12.50". An exponent is none: the text would not say the scale.
//
// Asked by the doors for values that come, and by the command line for those it writes down. A pure
// function.
#pragma once

#include <string_view>

namespace wharf {

bool IsDecimal(std::string_view text);

}  // namespace wharf
