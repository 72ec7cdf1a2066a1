// Bytes as text, and back: golden bytes stand in tests as people read them.
#pragma once

#include <string>
#include <string_view>

namespace wharf::amqp {

// "a3 01 61": spaces do not count. In single quotes stands text: "a1 02 'ab'". Brackets stand for
// the bytes between them, and before these their number in one byte: "c0 [01 a1 ['ab']]".
std::string FromHex(std::string_view hex);

}  // namespace wharf::amqp
