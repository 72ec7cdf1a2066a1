#include "tools/command_line/command_table.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace wharf::command_line {
namespace {

bool IsRepeatable(const CLI::Option& option) {
  return option.get_items_expected_max() > 1 || option.get_allow_extra_args();
}

std::string ValueOf(const CLI::Option& option) {
  // A flag takes none.
  return option.get_items_expected_max() == 0 ? "" : option.get_type_name();
}

Argument DescribeArgument(const CLI::Option& option) {
  const std::string value = ValueOf(option);
  return {.name = option.get_name(/*positional=*/true),
          .value = value.find('|') == std::string::npos ? "" : value,
          .help = option.get_description(),
          .is_required = option.get_required(),
          .is_repeatable = IsRepeatable(option)};
}

Option DescribeOption(const CLI::Option& option) {
  Option described = {.names = {},
                      .value = ValueOf(option),
                      .help = option.get_description(),
                      .default_value = option.get_default_str(),
                      .variable = option.get_envname(),
                      .is_required = option.get_required(),
                      .is_repeatable = IsRepeatable(option)};
  for (const std::string& name : option.get_snames()) described.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) described.names.push_back("--" + name);
  return described;
}

Command DescribeBelow(const CLI::App& app, std::vector<std::string> path) {
  path.push_back(app.get_name());
  Command command = {.path = path,
                     .help = app.get_description(),
                     .footer = app.get_footer(),
                     .arguments = {},
                     .options = {},
                     .commands = {}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      command.arguments.push_back(DescribeArgument(*option));
    } else {
      command.options.push_back(DescribeOption(*option));
    }
  }
  for (const CLI::App* below : app.get_subcommands({})) {
    command.commands.push_back(DescribeBelow(*below, path));
  }
  return command;
}

std::string ArgumentText(const Argument& argument) {
  const std::string name = argument.name + (argument.is_repeatable ? "..." : "");
  return argument.is_required ? name : "[" + name + "]";
}

}  // namespace

Command Describe(const CLI::App& program) { return DescribeBelow(program, {}); }

const Command* Find(const Command& program, const std::vector<std::string>& words) {
  const Command* command = &program;
  for (const std::string& word : words) {
    const auto found = std::find_if(command->commands.begin(), command->commands.end(),
                                    [&](const Command& below) { return below.name() == word; });
    if (found == command->commands.end()) return nullptr;
    command = &*found;
  }
  return command;
}

std::string PathText(const Command& command) { return absl::StrJoin(command.path, " "); }

std::string UsageText(const Command& command) {
  std::string text = PathText(command);
  if (!command.commands.empty()) text += " COMMAND";
  for (const Argument& argument : command.arguments) text += " " + ArgumentText(argument);
  for (const Option& option : command.options) {
    if (option.is_required) text += " " + option.long_name() + " " + option.value;
  }
  return text + " [OPTIONS]";
}

std::vector<std::string> ChoicesOf(const std::string& value) {
  if (value.find('|') == std::string::npos) return {};
  return absl::StrSplit(value, '|');
}

}  // namespace wharf::command_line
