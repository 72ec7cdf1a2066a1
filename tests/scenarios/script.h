// Script: a scenario as text, taken apart: blocks of commands, and what is expected of each.
//
//   # A comment, as many lines as it takes.
//   create-queue orders lock-duration=30s      commands, one a line
//   ----
//   ok                                         what they shall print, up to a blank line
//
// A command is a verb, the path it is about, and arguments `name=value` or `name`; a value with
// spaces stands in double quotes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace wharf {

struct Command {
  std::string verb;
  std::string path;
  // A flag has an empty value. Those with a dot, `property.color=red`, are kept by their full name.
  std::map<std::string, std::string> arguments;

  bool Has(const std::string& name) const { return arguments.contains(name); }
  std::optional<std::string> Find(const std::string& name) const;
};

struct ScriptBlock {
  // As written, for the file to be written again.
  std::vector<std::string> comments;
  std::vector<std::string> commands;
  std::vector<std::string> expected;
  // Where its first command stands, from 1.
  int line = 0;
};

// Throws std::runtime_error with the line if the text is no script.
std::vector<ScriptBlock> ParseScript(const std::string& text);
// Throws std::runtime_error if the line is no command.
Command ParseCommand(const std::string& line);
// The text that ParseScript takes apart into these blocks.
std::string ToText(const std::vector<ScriptBlock>& blocks);

}  // namespace wharf
