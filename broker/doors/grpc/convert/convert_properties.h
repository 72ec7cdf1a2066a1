// Properties of wharf.v1: each value keeps its type. Used by the conversions of messages and
// settlements.
#pragma once

#include <string>

#include <wharf/v1/message.pb.h>

#include "broker/core/messages/property_value.h"
#include "storage/base/status.h"

namespace wharf {

using ProtoProperties = google::protobuf::Map<std::string, v1::PropertyValue>;

Result<PropertyMap> PropertiesFromProto(const ProtoProperties& proto);
void PropertyToProto(const PropertyValue& value, v1::PropertyValue* proto);
// Sets each property, over one of the same name.
void PropertiesToProto(const PropertyMap& properties, ProtoProperties& proto);

template <typename Proto>
void SetNanotime(const Nanotime& time, Proto* proto) {
  proto->set_seconds(time.seconds);
  proto->set_nanos(time.nanos);
}

}  // namespace wharf
