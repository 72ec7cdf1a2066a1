// UsageError: why a command line is refused, as a sentence of ours.
//
// The parser notices that something is wrong and says so in its own words; this looks at what it
// had understood so far, and says what was written, what is missing and what was probably meant.
// Used by the programs of the house, on the main thread.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace wharf::command_line {

// `program` has just thrown `error`.
std::string UsageSentence(const CLI::App& program, const CLI::ParseError& error);

// The command that was named, as far as the words led.
const CLI::App& ChosenCommand(const CLI::App& program);

// `error` is that nothing stands behind a command that does nothing by itself: whoever calls wants
// to see what there is.
bool IsBare(const CLI::App& program, const CLI::ParseError& error);

}  // namespace wharf::command_line
