// PropertyList: the properties of an entity as options of the command line.
//
// A table for each kind of entity names every field of its properties with its help, but for the
// name and the retry policy (retry_options.h); a test compares it with the API. Used on the main
// thread.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <google/protobuf/field_mask.pb.h>
#include <google/protobuf/message.h>

#include "tools/wharf/program.h"

namespace wharf::tool {

struct PropertyHelp {
  std::string_view field;
  std::string_view help;
  // Cannot be changed after creation.
  bool is_fixed = false;
};

// The properties that the command line gave, by field.
using GivenProperties = std::map<std::string, std::string>;

// Adds an option for every property of the message that `type` is one of; what is given ends up in
// `given`, checked.
void AddPropertyOptions(CLI::App& command, const google::protobuf::Message& type,
                        std::span<const PropertyHelp> properties, bool is_creation,
                        GivenProperties& given);
void Apply(const GivenProperties& given, google::protobuf::Message& entity);
// Adds the given ones to what an update sets.
void AddTo(google::protobuf::FieldMask& mask, const GivenProperties& given);
// Says that an update was told nothing to change.
ExitCode FailWithoutProperties(Program& program);
// Copies what was fixed at creation, between messages of one type.
void KeepFixedProperties(std::span<const PropertyHelp> properties,
                         const google::protobuf::Message& from, google::protobuf::Message& to);

}  // namespace wharf::tool
