// JsonForm: the messages of the gRPC API as JSON and back, by protobuf's JSON mapping: names in
// lowerCamelCase (those of the .proto are understood, too), 64-bit numbers as texts, bytes as
// base64, enums by their names, times as RFC 3339, durations as "1.5s". Fields that have their
// default are written. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

#include <google/protobuf/descriptor.h>

#include "storage/base/status.h"

namespace wharf::console {

// The bytes of a message of this type; no text at all is one without fields. ArgumentError with the
// place in the text if it is none.
Result<std::string> BytesOfJson(std::string_view text, const google::protobuf::Descriptor& type);

Result<std::string> JsonOfBytes(const std::string& bytes, const google::protobuf::Descriptor& type);

}  // namespace wharf::console
