// Times and spans of wharf.v1 that may be anything a client sends. Used by the other conversions;
// what doors need is in convert.h.
#pragma once

#include <string_view>

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

// Within the range that google.protobuf documents.
bool IsValid(const google::protobuf::Timestamp& time);
bool IsValid(const google::protobuf::Duration& span);

// The error names the field.
Result<Timestamp> TimeFromProto(std::string_view field, const google::protobuf::Timestamp& proto);

}  // namespace wharf
