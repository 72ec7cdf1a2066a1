// CommandTable: what a program understands, as data: its commands, their arguments and options.
//
// Read off the parser that the program made for itself. Help, man page, completion and `wharf help
// --json` are written from it, so that none of them can lag behind. Plain values, on any thread.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace wharf::command_line {

struct Argument {
  std::string name;
  // What may stand there, if that is known: "complete|abandon".
  std::string value;
  std::string help;
  bool is_required = false;
  bool is_repeatable = false;
};

struct Option {
  // The short one first: "-n", "--max".
  std::vector<std::string> names;
  // What stands behind it: "NUMBER", or "all|active|deferred". Empty: nothing, it is a flag.
  std::string value;
  std::string help;
  // Empty: it has none that can be told.
  std::string default_value;
  // The environment variable that gives it, if any.
  std::string variable;
  bool is_required = false;
  bool is_repeatable = false;

  const std::string& long_name() const { return names.back(); }
};

struct Command {
  // From the program on: {"wharf", "queue", "create"}.
  std::vector<std::string> path;
  std::string help;
  // What is told at the end of the help.
  std::string footer;
  std::vector<Argument> arguments;
  std::vector<Option> options;
  // In the order in which they are shown. What has commands does nothing by itself.
  std::vector<Command> commands;

  const std::string& name() const { return path.back(); }
};

Command Describe(const CLI::App& program);

// The command that these words behind the program's name lead to; null if they lead nowhere.
const Command* Find(const Command& program, const std::vector<std::string>& words);

// {"wharf", "queue"} as "wharf queue".
std::string PathText(const Command& command);
// "wharf send QUEUE [BODY...] [OPTIONS]".
std::string UsageText(const Command& command);
// What "all|active|deferred" lets one choose from; empty if it is no choice.
std::vector<std::string> ChoicesOf(const std::string& value);

}  // namespace wharf::command_line
