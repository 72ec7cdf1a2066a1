// Etag: by which a client tells whether an entity or a rule still is as it was when it was read.
//
// Made of what it is and how it is described, so that nothing of it is stored: it changes with
// every property, and when something of the same name is created anew.
#pragma once

#include <string>
#include <string_view>

#include <google/protobuf/message.h>

#include "broker/core/changes/change.h"
#include "storage/base/status.h"

namespace wharf {

// `properties` are all of the entity's, without an etag.
std::string EtagOf(EntityId entity, const google::protobuf::Message& properties);
// Of a rule, which says when it was made.
std::string EtagOf(const google::protobuf::Message& rule);

// Ok if none was asked for, or it is that. `name`: of what has it now.
Status CheckEtag(std::string_view asked, std::string_view current, std::string_view name);

}  // namespace wharf
