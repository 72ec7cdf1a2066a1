#include "tools/wharf/sessions/session_state.h"

#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <vector>

#include <fmt/core.h>

#include "absl/strings/escaping.h"
#include "tools/wharf/text/token_list.h"
#include "tools/wharf/text/utf8.h"

namespace wharf::tool {
namespace {

struct StateOptions {
  std::string queue;
  std::string token;
  bool is_raw = false;
  std::optional<std::string> text;
  std::optional<std::string> file;
  Tokens completed;
  // Of the open transaction that shall do it; empty: none.
  std::string transaction;
};

Json ToJson(const std::optional<std::string>& state) {
  if (!state) return {{"state", nullptr}};
  if (IsUtf8(*state)) return {{"state", *state}};
  return {{"state_base64", absl::Base64Escape(*state)}};
}

ExitCode Get(Program& program, const StateOptions& options) {
  const auto state = program.client().sessions().GetSessionState(options.queue, options.token);
  if (!state.ok()) return program.Fail(state.status());
  if (program.is_json) {
    program.out.PrintJson(ToJson(*state));
    return ExitCode::kOk;
  }
  if (!*state) {
    program.err.Print("the session has no state\n");
    return ExitCode::kOk;
  }
  if (options.is_raw) {
    program.out.Write(**state);
  } else {
    program.out.Print("{}\n", **state);
  }
  return ExitCode::kOk;
}

Result<std::string> ReadFile(const std::string& name) {
  std::ostringstream content;
  if (name == "-") {
    content << std::cin.rdbuf();
    return std::move(content).str();
  }
  std::ifstream file(name, std::ios::binary);
  if (!file) {
    return Status(ErrorCode::kArgumentError, fmt::format("the file {} cannot be read", name));
  }
  content << file.rdbuf();
  return std::move(content).str();
}

ExitCode PutState(Program& program, const StateOptions& options,
                  const std::optional<std::string>& state, const std::string& done) {
  const Status put = program.client().sessions().SetSessionState(
      options.queue, options.token, state, {options.completed.begin(), options.completed.end()},
      options.transaction);
  if (!put.ok()) return program.Fail(put);
  // Nothing is set before the commit.
  if (!options.transaction.empty()) return PrintDone(program, "added", 1);
  if (program.is_json) {
    program.out.PrintJson({{"state", done}, {"completed", options.completed.size()}});
  } else if (options.completed.empty()) {
    program.out.Print("{}\n", done);
  } else {
    program.out.Print("{}, {} completed\n", done, options.completed.size());
  }
  return ExitCode::kOk;
}

ExitCode Set(Program& program, const StateOptions& options) {
  if (options.text) return PutState(program, options, options.text, "set");
  const Result<std::string> content = ReadFile(*options.file);
  return content.ok() ? PutState(program, options, *content, "set")
                      : program.FailUsage(content.status());
}

ExitCode Clear(Program& program, const StateOptions& options) {
  return PutState(program, options, std::nullopt, "cleared");
}

CLI::App& AddStateVerb(CLI::App& noun, Program& program, const std::string& verb,
                       const std::string& help, const std::shared_ptr<StateOptions>& options,
                       ExitCode (*run)(Program&, const StateOptions&)) {
  CLI::App& command = *noun.add_subcommand(verb, help);
  AddSourceArgument(command, options->queue);
  AddSessionTokenOption(command, "TOKEN", options->token)->required();
  command.callback([options, run, &program] {
    program.action = [options, run, &program] { return run(program, *options); };
  });
  return command;
}

void AddChangeOptions(CLI::App& command, StateOptions& options) {
  AddLockTokensOption(command, "--complete", options.completed,
                      "The lock token of a message of the session to complete in the same commit; "
                      "repeatable")
      ->type_size(1)
      ->allow_extra_args(false);
  AddTransactionOption(command, options.transaction);
}

void AddGet(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<StateOptions>();
  CLI::App& command = AddStateVerb(
      noun, program, "get", "Print the state of a session; nothing if it has none", options, Get);
  command.add_flag("--raw", options->is_raw, "Exactly as it is, without a line feed behind it");
}

void AddSet(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<StateOptions>();
  CLI::App& command =
      AddStateVerb(noun, program, "set", "Set the state of a session", options, Set);
  CLI::Option* text = command.add_option("STATE", options->text, "The state; \"\" is one, too");
  CLI::Option* file =
      command.add_option("--file", options->file, "A file that holds it; \"-\" is stdin")
          ->type_name("FILE")
          ->excludes(text);
  AddChangeOptions(command, *options);
  command.callback([text, file, options, &program] {
    if (text->count() + file->count() == 0) {
      throw CLI::ValidationError("nothing to set: give a STATE or --file");
    }
    program.action = [options, &program] { return Set(program, *options); };
  });
}

void AddClear(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<StateOptions>();
  AddChangeOptions(
      AddStateVerb(noun, program, "clear", "Clear the state of a session", options, Clear),
      *options);
}

}  // namespace

void AddSessionStateCommand(CLI::App& session, Program& program) {
  CLI::App& noun = *session.add_subcommand(
      "state",
      "Get, set and clear the state of a session: bytes that its holders keep for each other, of "
      "at most 1 MiB");
  noun.require_subcommand(1);
  noun.fallthrough();
  AddGet(noun, program);
  AddSet(noun, program);
  AddClear(noun, program);
}

}  // namespace wharf::tool
