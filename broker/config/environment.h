// Environment: the entries of the variables WHARFD_... Pure functions.
#pragma once

#include <string>
#include <vector>

#include "broker/config/entry.h"

namespace wharf::config {

// Names the file, as --config does.
inline constexpr char kFileVariable[] = "WHARFD_CONFIG";

// `variables` is as the system has it: "NAME=value", up to a null.
std::vector<Entry> EntriesOfEnvironment(const char* const* variables);

// A sentence for each variable that is none of ours and is called as if it were; not too many. They
// are no errors, because systems that start services make names of that kind, too.
std::vector<std::string> StrangeVariables(const char* const* variables);

}  // namespace wharf::config
