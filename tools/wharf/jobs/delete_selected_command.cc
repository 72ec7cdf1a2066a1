#include "tools/wharf/jobs/delete_selected_command.h"

#include <memory>

#include <fmt/core.h>

#include "tools/wharf/jobs/job_run.h"
#include "tools/wharf/terminal/consent.h"

namespace wharf::tool {
namespace {

struct DeleteOptions {
  JobOptions job;
  bool is_dead_letter = false;
  bool takes_all = false;
  bool is_sure = false;

  std::string path() const { return is_dead_letter ? DeadLetterPath(job.queue) : job.queue; }
};

ExitCode Delete(Program& program, const DeleteOptions& options) {
  auto selection = SelectionOf(program, options.job);
  if (!selection.ok()) return program.Fail(selection.status());
  v1::StartDeleteMessagesRequest request;
  request.set_entity_path(options.path());
  *request.mutable_selection() = *std::move(selection);
  request.set_max_rate(options.job.rate_max);
  request.set_dry_run(options.job.is_dry_run);
  return Report(program, options.job, program.client().management().StartDeleteMessages(request));
}

// How many would go, the broker alone knows: a dry run tells.
ExitCode AskAndDelete(Program& program, const DeleteOptions& options) {
  const auto question = [&]() -> Result<std::string> {
    const auto messages = MessagesIn(program, options.path());
    if (!messages.ok()) return messages.status();
    return fmt::format("delete {} that wait in {}, which holds {}?",
                       options.takes_all ? "all messages" : "the selected messages", options.path(),
                       *messages);
  };
  const bool is_sure = options.is_sure || options.job.is_dry_run;
  return WithConsent(program, is_sure, question, [&] { return Delete(program, options); });
}

void CheckSelection(const DeleteOptions& options) {
  if (options.takes_all && options.job.has_selection()) {
    throw CLI::ValidationError("--all and a selection exclude each other");
  }
  if (!options.takes_all && !options.job.has_selection()) {
    throw CLI::ValidationError(
        "nothing is selected: give --reason, --from, --before, --numbers or --filter, or --all");
  }
}

}  // namespace

void AddDeleteSelectedCommand(CLI::App& app, Program& program) {
  const auto options = std::make_shared<DeleteOptions>();
  CLI::App& command = *app.add_subcommand(
      "delete-selected",
      "Start a job that deletes the messages that wait and are selected; locked, deferred and "
      "scheduled ones stay; see wharf job");
  AddJobOptions(command, options->job);
  command.add_flag("--dead-letter", options->is_dead_letter, "In its dead-letter queue");
  command.add_flag("--all", options->takes_all, "All that wait, instead of a selection");
  AddYesOption(command, options->is_sure);
  command.callback([options, &program] {
    CheckSelection(*options);
    program.action = [options, &program] { return AskAndDelete(program, *options); };
  });
}

}  // namespace wharf::tool
