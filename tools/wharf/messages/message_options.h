// MessageOptions: the options of `wharf send` for properties that all its messages share.
//
// Used on the main thread.
#pragma once

#include <CLI/CLI.hpp>

#include "wharf/v1/message.pb.h"

namespace wharf::tool {

// What the options give ends up in `message`, checked.
void AddMessageOptions(CLI::App& command, v1::Message& message);

// --property NAME[:TYPE]=VALUE, or an option of another name, repeatable, into `properties`.
CLI::Option* AddPropertyOption(CLI::App& command, const std::string& help,
                               google::protobuf::Map<std::string, v1::PropertyValue>& properties,
                               const std::string& name = "--property");

}  // namespace wharf::tool
