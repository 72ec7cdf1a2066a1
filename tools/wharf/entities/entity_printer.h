// What the commands of queues, topics and subscriptions show alike: properties and counters, lists,
// and what was deleted. On the command line's only thread.
#pragma once

#include <string>

#include <google/protobuf/message.h>

#include "tools/wharf/entities/property_list.h"
#include "tools/wharf/program.h"
#include "tools/wharf/text/field_text.h"

namespace wharf::tool {

// `runtime` may be null.
ExitCode PrintEntity(Program& program, const google::protobuf::Message& properties,
                     const google::protobuf::Message* runtime);
ExitCode PrintDeleted(Program& program, const std::string& path);

// What `create --if-not-exists` finds in place: shown as it is. `wanted` has the properties that
// were `given`; those that are otherwise are told.
ExitCode PrintExisting(Program& program, const std::string& path, const GivenProperties& given,
                       const google::protobuf::Message& wanted,
                       const google::protobuf::Message& existing);
// Whether it is the refusal to create something whose name is taken.
bool IsInTheWay(const Status& status);
void AddIfNotExistsFlag(CLI::App& command, bool& accepts_existing);

}  // namespace wharf::tool
