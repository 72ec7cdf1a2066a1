// TextOf: a value as people read it, each with its type: in the log, in errors, in transcripts.
//
//   null  true  5:uint  -1:long  1.5:double  "text"  :symbol  b'00ff'  [1:int, "a"]  {:key "value"}
//   array uint[1:uint, 2:uint]  @36:ulong []  2026:ms  (of decimals and uuids the bytes)
#pragma once

#include <string>
#include <string_view>

#include "broker/doors/amqp/codec/value.h"

namespace wharf::amqp {

std::string TextOf(const Value& value);
// Quoted; what does not print is \\x and two digits.
std::string TextOfString(std::string_view text);
std::string HexOf(std::string_view bytes);

}  // namespace wharf::amqp
