#include "tools/wharf/jobs/redrive_command.h"

#include <memory>

#include "tools/wharf/jobs/job_run.h"

namespace wharf::tool {
namespace {

struct RedriveOptions {
  JobOptions job;
  std::string target;
};

ExitCode Redrive(Program& program, const RedriveOptions& options) {
  auto selection = SelectionOf(program, options.job);
  if (!selection.ok()) return program.Fail(selection.status());
  v1::StartRedriveRequest request;
  request.set_entity_path(DeadLetterPath(options.job.queue));
  *request.mutable_selection() = *std::move(selection);
  request.set_target(options.target);
  request.set_max_rate(options.job.rate_max);
  request.set_dry_run(options.job.is_dry_run);
  return Report(program, options.job, program.client().management().StartRedrive(request));
}

}  // namespace

void AddRedriveCommand(CLI::App& app, Program& program) {
  const auto options = std::make_shared<RedriveOptions>();
  CLI::App& command = *app.add_subcommand(
      "redrive",
      "Start a job that sends the messages in the dead-letter queue of an entity back to it, or to "
      "another one; see wharf job");
  AddJobOptions(command, options->job);
  command.add_option("--to", options->target, "Where they go instead of back: a queue or a topic")
      ->type_name("PATH");
  command.callback([options, &program] {
    program.action = [options, &program] { return Redrive(program, *options); };
  });
}

}  // namespace wharf::tool
