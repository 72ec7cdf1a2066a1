// Whether bytes are text: of a string, UTF-8; of a symbol, ASCII.
#pragma once

#include <string_view>

namespace wharf::amqp {

bool IsAscii(std::string_view bytes);
// Of RFC 3629: shortest forms only, no surrogates, nothing beyond U+10FFFF. U+0000 is text.
bool IsUtf8(std::string_view bytes);

}  // namespace wharf::amqp
