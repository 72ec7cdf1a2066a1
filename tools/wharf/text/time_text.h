// Points in time as people read them, and lengths of time as programs compute with them.
//
// Times are ISO 8601. In tables they end with the second, which is what one looks for; with all
// digits they are what an option that takes a time reads back. Lengths of time in JSON are numbers
// of seconds, 60 or 1.5 (duration_text.h has them for people). Pure functions.
#pragma once

#include <string>

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include "storage/base/status.h"
#include "tools/wharf/text/json.h"

namespace wharf::tool {

enum class TimeDigits { kToTheSecond, kAll };

// "2026-01-31T12:00:00Z"; what is behind the second is cut off.
std::string TimeText(const google::protobuf::Timestamp& time,
                     TimeDigits digits = TimeDigits::kToTheSecond);

// A number of seconds. Where a number of JSON would lose digits of it, "1234567890123.000000001s".
Json SecondsToJson(const google::protobuf::Duration& duration);
// Reads a number of seconds, also a negative one. ArgumentError with one sentence, if the API has
// no such duration.
Result<google::protobuf::Duration> SecondsFromJson(const Json& number);

}  // namespace wharf::tool
