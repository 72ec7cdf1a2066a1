// Application properties as text and as JSON: a value of every type that Service Bus knows (USR-2).
//
//   type             text
//   bool             true, false
//   int8 ... uint64  decimal
//   float, double    decimal, or NaN, Infinity, -Infinity
//   decimal          digits with an optional point; the scale is kept: 12.50
//   char             one character
//   string, uri      itself
//   uuid             8-4-4-4-12 hexadecimal digits
//   timestamp, datetime-offset   ISO 8601
//   encoded          base64 of one encoded value of AMQP, of a type that has no name here
//   timespan         seconds with a fraction, -1.5s or -1.5, or 1h30m; in JSON a number of seconds
//
// In JSON, null, true, a whole number (int64), a number with a fraction or exponent (double) and a
// string stand for themselves; every other type is {"type": "int32", "value": 5}. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "storage/base/status.h"
#include "tools/wharf/text/json.h"
#include "wharf/v1/message.pb.h"

namespace wharf::tool {

// ArgumentError with one sentence, if there is no such type or no such value of it.
Result<v1::PropertyValue> ParseProperty(std::string_view type, const std::string& text);

Json PropertyToJson(const v1::PropertyValue& value);
Result<v1::PropertyValue> PropertyFromJson(const Json& json);

// "name=text" or "name:type=text", as on the command line.
struct NamedProperty {
  std::string name;
  v1::PropertyValue value;
};
Result<NamedProperty> ParseNamedProperty(const std::string& text);

}  // namespace wharf::tool
