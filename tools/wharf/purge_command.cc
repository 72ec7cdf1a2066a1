#include "tools/wharf/purge_command.h"

#include <memory>

namespace wharf::tool {
namespace {

struct PurgeOptions {
  std::string queue;
  bool is_dead_letter = false;
  bool includes_scheduled = false;
};

ExitCode Purge(Program& program, const PurgeOptions& options) {
  v1::PurgeQueueRequest request;
  request.set_entity_path(options.is_dead_letter ? DeadLetterPath(options.queue) : options.queue);
  request.set_include_scheduled(options.includes_scheduled);
  const auto purged = program.client().management().PurgeQueue(request);
  return purged.ok() ? PrintDone(program, "purged", purged->purged_count())
                     : program.Fail(purged.status());
}

}  // namespace

void AddPurgeCommand(CLI::App& app, Program& program) {
  const auto options = std::make_shared<PurgeOptions>();
  CLI::App& command = *app.add_subcommand(
      "purge",
      "Drop everything in a queue at once: waiting, locked, deferred and resting messages; not "
      "what is in its dead-letter queue");
  command.add_option("QUEUE", options->queue, "The queue's path")->required();
  CLI::Option* dead_letter = command.add_flag("--dead-letter", options->is_dead_letter,
                                              "What is in its dead-letter queue instead");
  command
      .add_flag("--include-scheduled", options->includes_scheduled,
                "Also messages that wait for their time")
      ->excludes(dead_letter);
  command.callback([options, &program] {
    program.action = [options, &program] { return Purge(program, *options); };
  });
}

}  // namespace wharf::tool
