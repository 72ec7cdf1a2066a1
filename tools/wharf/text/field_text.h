// Fields of the API as text and as JSON: one way for options, tables and JSON of every message.
//
//   string            itself
//   bool              true, false
//   integers          decimal
//   bytes             base64
//   enum              its name without the prefix, in lower case with dashes: "send-disabled"
//   Duration          "1h30m" (duration_text.h); "never" for absent. In JSON a number of seconds,
//                     90 or 1.5 (time_text.h); read as either
//   Timestamp         ISO 8601, "2026-01-31T12:00:00Z"
//   double            decimal
//   other messages    as JSON: shown only, never set
//   several values    as a list of JSON: shown only, never set
//
// In JSON, bool and numbers are JSON's own, messages are objects, all others are strings; what says
// nothing is left out: fields that are absent, empty strings, and messages without a field. Pure
// functions.
#pragma once

#include <string>
#include <string_view>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "storage/base/status.h"
#include "tools/wharf/terminal/output.h"
#include "tools/wharf/text/json.h"
#include "tools/wharf/text/time_text.h"

namespace wharf::tool {

// "lock_duration" as an option: "lock-duration".
std::string ToOptionName(std::string_view field_name);
// What an enum field may be: "active|disabled|send-disabled".
std::string WordsOf(const google::protobuf::FieldDescriptor& field);

// Whether the field says something: it is present, or has several values, or is a text that is not
// empty; numbers without presence always do.
bool IsSaid(const google::protobuf::Message& message,
            const google::protobuf::FieldDescriptor& field);

std::string FieldToText(const google::protobuf::Message& message,
                        const google::protobuf::FieldDescriptor& field,
                        TimeDigits digits = TimeDigits::kAll);
Json FieldToJson(const google::protobuf::Message& message,
                 const google::protobuf::FieldDescriptor& field);

// Every field that says something, in the order of the API.
Json FieldsToJson(const google::protobuf::Message& message);
// The same as lines "name   value", indented; fields of a field as "name.name". Printable, and
// times to the second.
void PrintFields(Output& out, const google::protobuf::Message& message);

// The error is one sentence that does not name the field. "never" clears a duration, "" an optional
// string.
Status SetFieldFromText(google::protobuf::Message& message,
                        const google::protobuf::FieldDescriptor& field, const std::string& text);
Status SetFieldFromJson(google::protobuf::Message& message,
                        const google::protobuf::FieldDescriptor& field, const Json& value);

}  // namespace wharf::tool
