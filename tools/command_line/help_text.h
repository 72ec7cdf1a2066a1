// HelpText: what --help prints of a command, in lines that fit.
//
// Used by the programs of the house. A pure function.
#pragma once

#include <cstddef>
#include <string>

#include "tools/command_line/command_table.h"

namespace wharf::command_line {

// `command` is one of `program`, whose options every command takes. Lines are as wide as `width`,
// but not wider than what reads well.
std::string HelpText(const Command& program, const Command& command, std::size_t width);

// `text` in lines of at most `width`, each behind `indent` spaces but the first, which goes on at
// column `at`. Words that are longer stay whole; line feeds in the text stay.
std::string Wrap(const std::string& text, std::size_t width, std::size_t indent, std::size_t at);

// "-n, --max NUMBER".
std::string SyntaxOf(const Option& option);
// The help of an option with its default: "At most so many messages; 0 for all (default: 10)".
std::string FullHelpOf(const Option& option);

}  // namespace wharf::command_line
