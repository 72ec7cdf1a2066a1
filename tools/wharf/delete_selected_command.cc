#include "tools/wharf/delete_selected_command.h"

#include <memory>

#include "tools/wharf/job_run.h"

namespace wharf::tool {
namespace {

struct DeleteOptions {
  JobOptions job;
  bool is_dead_letter = false;
};

ExitCode Delete(Program& program, const DeleteOptions& options) {
  auto selection = SelectionOf(program, options.job);
  if (!selection.ok()) return program.Fail(selection.status());
  v1::StartDeleteMessagesRequest request;
  request.set_entity_path(options.is_dead_letter ? DeadLetterPath(options.job.queue)
                                                 : options.job.queue);
  *request.mutable_selection() = *std::move(selection);
  request.set_max_rate(options.job.rate_max);
  request.set_dry_run(options.job.is_dry_run);
  return Report(program, options.job, program.client().management().StartDeleteMessages(request));
}

}  // namespace

void AddDeleteSelectedCommand(CLI::App& app, Program& program) {
  const auto options = std::make_shared<DeleteOptions>();
  CLI::App& command = *app.add_subcommand(
      "delete-selected",
      "Start a job that deletes the messages that wait and are selected, all if nothing is said; "
      "locked, deferred and scheduled ones stay; see wharf job");
  AddJobOptions(command, options->job);
  command.add_flag("--dead-letter", options->is_dead_letter, "In its dead-letter queue");
  command.callback([options, &program] {
    program.action = [options, &program] { return Delete(program, *options); };
  });
}

}  // namespace wharf::tool
