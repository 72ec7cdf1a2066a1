// NumberList: sequence numbers on the command line.
//
// Used by every command that names messages by their numbers, on the main thread.
#pragma once

#include <CLI/CLI.hpp>
#include <google/protobuf/repeated_field.h>

namespace wharf::tool {

using Numbers = google::protobuf::RepeatedField<std::int64_t>;

// One or several numbers, "7 8 9" or "7,8,9".
CLI::Option* AddNumbersOption(CLI::App& command, const std::string& name, Numbers& numbers,
                              const std::string& help);

}  // namespace wharf::tool
