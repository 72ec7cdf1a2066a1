// QueuePropertyList: the properties of a queue as options of the command line.
//
// One table names every field of QueueProperties with its help, but for the retry policy
// (retry_options.h); a test compares it with the API.
// Used by `wharf queue`, on the main thread.
#pragma once

#include <span>

#include <CLI/CLI.hpp>

#include "tools/wharf/entities/property_list.h"
#include "wharf/v1/management.pb.h"

namespace wharf::tool {

std::span<const PropertyHelp> AllQueueProperties();

void AddQueuePropertyOptions(CLI::App& command, bool is_creation, GivenProperties& given);
// Copies what was fixed at creation.
void KeepFixedProperties(const v1::QueueProperties& from, v1::QueueProperties& queue);

}  // namespace wharf::tool
