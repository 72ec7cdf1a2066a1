#include "tools/wharf/entities/purge_command.h"

#include <memory>

#include <fmt/core.h>

#include "tools/wharf/terminal/consent.h"

namespace wharf::tool {
namespace {

struct PurgeOptions {
  std::string queue;
  bool is_dead_letter = false;
  bool includes_scheduled = false;
  bool is_sure = false;

  std::string path() const { return is_dead_letter ? DeadLetterPath(queue) : queue; }
};

ExitCode Purge(Program& program, const PurgeOptions& options) {
  v1::PurgeRequest request;
  request.set_entity_path(options.path());
  request.set_include_scheduled(options.includes_scheduled);
  const auto purged = program.client().management().Purge(request);
  return purged.ok() ? PrintDone(program, "purged", purged->purged_count())
                     : program.Fail(purged.status());
}

ExitCode AskAndPurge(Program& program, const PurgeOptions& options) {
  const auto question = [&]() -> Result<std::string> {
    const auto messages = MessagesIn(program, options.path());
    if (!messages.ok()) return messages.status();
    return fmt::format("purge {}, which holds {}?", options.path(), *messages);
  };
  return WithConsent(program, options.is_sure, question, [&] { return Purge(program, options); });
}

}  // namespace

void AddPurgeCommand(CLI::App& app, Program& program) {
  const auto options = std::make_shared<PurgeOptions>();
  CLI::App& command = *app.add_subcommand(
      "purge",
      "Drop everything in a queue at once: waiting, locked, deferred and resting messages; not "
      "what is in its dead-letter queue");
  AddSourceArgument(command, options->queue);
  CLI::Option* dead_letter = command.add_flag("--dead-letter", options->is_dead_letter,
                                              "What is in its dead-letter queue instead");
  command
      .add_flag("--include-scheduled", options->includes_scheduled,
                "Also messages that wait for their time")
      ->excludes(dead_letter);
  AddYesOption(command, options->is_sure);
  command.callback([options, &program] {
    program.action = [options, &program] { return AskAndPurge(program, *options); };
  });
}

}  // namespace wharf::tool
