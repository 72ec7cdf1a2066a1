// Messages as JSON: one object a message, its fields named as in wharf/v1/message.proto.
//
// The body is "body" if it is UTF-8 and JSON does not make it more than twice as long, as it does
// with control characters, otherwise "body_base64". What receive prints, send accepts again: the
// broker's own fields (sequence_number, lock_token, ...) are skipped, and so is the "entity_path"
// of an export. A key that stands twice is refused, as are both forms of a body. Lengths of time
// are numbers of seconds, 90 or 1.5; "1m30s" is read, too. How a sender over AMQP wrote a message
// is "amqp_form_base64", to be given back as it is. Pure functions.
#pragma once

#include <string_view>

#include "storage/base/status.h"
#include "tools/wharf/text/json.h"
#include "wharf/v1/message.pb.h"

namespace wharf::tool {

// Of a line of an export: what it is an export of.
inline constexpr std::string_view kEntityPathKey = "entity_path";

Json ToJson(const v1::ReceivedMessage& received);
// Without the body.
Json PropertiesToJson(const v1::Message& message);
// In the order of their names: a map of protobuf has another order in every process.
Json PropertiesToJson(const google::protobuf::Map<std::string, v1::PropertyValue>& properties);

// `base` with the fields that the object holds. ArgumentError with one sentence that names the bad
// field.
Result<v1::Message> MessageFromJson(const Json& json, const v1::Message& base = {});
// What a text says, of an object that may be one.
Result<Json> MessageJsonOf(std::string_view text);
// Both.
Result<v1::Message> MessageFromJsonText(std::string_view text, const v1::Message& base = {});

}  // namespace wharf::tool
