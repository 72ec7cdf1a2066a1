// Etag: by which a client tells whether an entity still is as it was when it was read.
//
// Made of what the entity is and how it is described, so that nothing of it is stored: it changes
// with every property, and when an entity of the same name is created anew.
#pragma once

#include <string>

#include <google/protobuf/message.h>

#include "broker/core/changes/change.h"

namespace wharf {

// `properties` are all of the entity's, without an etag.
std::string EtagOf(EntityId entity, const google::protobuf::Message& properties);

}  // namespace wharf
