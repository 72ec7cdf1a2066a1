#include "tools/wharf/service/help_command.h"

#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "absl/strings/str_join.h"
#include "storage/base/nearest_word.h"
#include "tools/command_line/command_table.h"
#include "tools/command_line/completion.h"
#include "tools/command_line/help_text.h"
#include "tools/command_line/man_page.h"
#include "tools/command_line/usage_error.h"
#include "tools/wharf/text/choice_option.h"

namespace wharf::tool {
namespace {

using command_line::Argument;
using command_line::Command;
using command_line::Option;

Json ToJson(const Argument& argument) {
  Json json = {{"name", argument.name},
               {"required", argument.is_required},
               {"repeatable", argument.is_repeatable},
               {"help", argument.help}};
  if (!argument.value.empty()) json["choices"] = command_line::ChoicesOf(argument.value);
  return json;
}

Json ToJson(const Option& option) {
  Json json = {{"names", option.names},
               {"required", option.is_required},
               {"repeatable", option.is_repeatable},
               {"help", option.help}};
  if (!option.value.empty()) json["value"] = option.value;
  if (!option.default_value.empty()) json["default"] = option.default_value;
  if (!option.variable.empty()) json["variable"] = option.variable;
  return json;
}

Json ToJson(const Command& command) {
  Json json = {{"command", command_line::PathText(command)},
               {"usage", command_line::UsageText(command)},
               {"help", command.help},
               {"arguments", Json::array()},
               {"options", Json::array()},
               {"commands", Json::array()}};
  for (const Argument& argument : command.arguments) json["arguments"].push_back(ToJson(argument));
  for (const Option& option : command.options) json["options"].push_back(ToJson(option));
  for (const Command& below : command.commands) json["commands"].push_back(ToJson(below));
  return json;
}

Status UnknownCommand(const Command& program, const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const Command& command : program.commands) names.push_back(command.name());
  const auto near = Nearest(words.front(), names);
  return {ErrorCode::kArgumentError,
          fmt::format("there is no command '{}'{}", absl::StrJoin(words, " "),
                      near ? fmt::format("; did you mean '{}'?", *near) : "")};
}

ExitCode Help(const CLI::App& app, Program& program, const std::vector<std::string>& words) {
  const Command table = command_line::Describe(app);
  const Command* command = command_line::Find(table, words);
  if (command == nullptr) return program.FailUsage(UnknownCommand(table, words));
  if (program.is_json) {
    program.out.PrintJson(ToJson(*command));
  } else {
    program.out.Write(command_line::HelpText(table, *command, program.out.width()));
  }
  return ExitCode::kOk;
}

void AddHelp(CLI::App& app, Program& program) {
  const auto words = std::make_shared<std::vector<std::string>>();
  CLI::App& command = *app.add_subcommand(
      "help",
      "Show the help of a command, or what commands there are; with --json all that is known of "
      "them, for programs");
  command.add_option("COMMAND", *words, "For example queue create");
  command.callback([words, &app, &program] {
    program.SetLocalAction([words, &app, &program] { return Help(app, program, *words); });
  });
}

void AddCompletion(CLI::App& app, Program& program) {
  CLI::App& command = *app.add_subcommand(
      "completion",
      "Print a script that completes commands and options in a shell. bash: source <(wharf "
      "completion bash); zsh: wharf completion zsh > a file _wharf in $fpath; fish: wharf "
      "completion fish | source");
  const auto print = [&app, &program](const std::string& name) {
    program.SetLocalAction([name, &app, &program] {
      const auto shell = command_line::ShellNamed(name);
      program.out.Write(command_line::CompletionScript(*shell, command_line::Describe(app)));
      return ExitCode::kOk;
    });
  };
  AddChoiceFunction(command, "SHELL", {"bash", "zsh", "fish"}, print, "Which shell")->required();
}

void AddManPage(CLI::App& app, Program& program) {
  app.add_subcommand("man", "Print the manual page of wharf: wharf man | man -l -")
      ->callback([&app, &program] {
        program.SetLocalAction([&app, &program] {
          program.out.Write(command_line::ManPage(command_line::Describe(app),
                                                  {.section = 1, .version = WHARF_VERSION}));
          return ExitCode::kOk;
        });
      });
}

}  // namespace

void AddHelpCommands(CLI::App& app, Program& program) {
  AddHelp(app, program);
  AddCompletion(app, program);
  AddManPage(app, program);
}

std::string HelpOfChosen(const CLI::App& app, const Output& out) {
  const Command table = command_line::Describe(app);
  std::vector<std::string> words;
  for (const CLI::App* at = &command_line::ChosenCommand(app); at != &app; at = at->get_parent()) {
    words.insert(words.begin(), at->get_name());
  }
  return command_line::HelpText(table, *command_line::Find(table, words), out.width());
}

}  // namespace wharf::tool
