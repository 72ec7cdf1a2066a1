// QueuePropertyList: the properties of a queue as options of the command line.
//
// One table names every field of QueueProperties with its help, but for the retry policy
// (retry_options.h); a test compares it with the API.
// Used by `wharf queue`, on the main thread.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "wharf/v1/management.pb.h"

namespace wharf::tool {

struct QueuePropertyHelp {
  std::string_view field;
  std::string_view help;
  // Cannot be changed after creation.
  bool is_fixed = false;
};

std::span<const QueuePropertyHelp> AllQueueProperties();

// The properties that the command line gave, by field.
using GivenProperties = std::map<std::string, std::string>;

// Adds an option for every property; what is given ends up in `given`, checked.
void AddQueuePropertyOptions(CLI::App& command, bool is_creation, GivenProperties& given);
void Apply(const GivenProperties& given, v1::QueueProperties& queue);
// Copies what was fixed at creation.
void KeepFixedProperties(const v1::QueueProperties& from, v1::QueueProperties& queue);

}  // namespace wharf::tool
