// Completion: a script that teaches a shell the commands and options of a program.
//
// Made at run time, so that it always fits the program that prints it. A pure function.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/command_line/command_table.h"

namespace wharf::command_line {

enum class Shell { kBash, kZsh, kFish };

std::optional<Shell> ShellNamed(std::string_view name);

// Commands, options, and the values of those that let one choose or that are files.
std::string CompletionScript(Shell shell, const Command& program);

}  // namespace wharf::command_line
