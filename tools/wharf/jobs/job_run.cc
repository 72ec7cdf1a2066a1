#include "tools/wharf/jobs/job_run.h"

#include <chrono>
#include <optional>
#include <thread>

#include <fmt/core.h>

#include "tools/wharf/terminal/progress_bar.h"
#include "tools/wharf/text/field_text.h"
#include "tools/wharf/text/number_option.h"

namespace wharf::tool {
namespace {

constexpr std::chrono::milliseconds kPollInterval(100);

// What the job does grows while it works, so that there is no total: messages that were looked at.
Result<v1::Job> UntilItEnds(Program& program, std::int64_t id) {
  ProgressBar progress(std::nullopt, fmt::format("job {}: looking at messages", id));
  while (true) {
    auto job = program.client().management().GetJob(id);
    if (!job.ok() || job->state() != v1::Job::STATE_RUNNING) return job;
    progress.Update(static_cast<std::uint64_t>(job->examined_count()));
    std::this_thread::sleep_for(kPollInterval);
  }
}

}  // namespace

void AddJobOptions(CLI::App& command, JobOptions& options) {
  AddSourceArgument(command, options.queue);
  command.add_option("--reason", options.reason, "Only those with this dead-letter reason")
      ->type_name("TEXT");
  AddMomentOption(command, "--from", options.from,
                  "Only those that were enqueued at or after: 2026-01-31T12:00:00Z, or, with an "
                  "equals sign, --from=-1h from now");
  AddMomentOption(command, "--before", options.before, "Only those that were enqueued before");
  AddNumbersOption(command, "--numbers", options.numbers,
                   "Only those of these sequence numbers, 7,8,9; at most 4500");
  command
      .add_option("--filter", options.sql_filter,
                  "Only those for which this SQL filter on properties is true, as in wharf "
                  "peek: \"color = 'red' AND sys.Label LIKE 'urgent%'\"")
      ->type_name("SQL");
  AddNumberOption(command, "--rate", options.rate_max, "Messages a second; 0: as many as can be");
  command.add_flag("--dry-run", options.is_dry_run,
                   "Take nothing; wait, and tell how many would be taken");
  command.add_flag("--wait", options.waits, "Wait for the end of the job");
}

Result<v1::MessageSelection> SelectionOf(Program& program, const JobOptions& options) {
  v1::MessageSelection selection;
  if (options.reason) selection.set_dead_letter_reason(*options.reason);
  if (options.from) {
    const auto from = Resolve(program, *options.from);
    if (!from.ok()) return from.status();
    *selection.mutable_enqueued_from() = *from;
  }
  if (options.before) {
    const auto before = Resolve(program, *options.before);
    if (!before.ok()) return before.status();
    *selection.mutable_enqueued_before() = *before;
  }
  *selection.mutable_sequence_numbers() = options.numbers;
  selection.set_sql_filter(options.sql_filter);
  return selection;
}

ExitCode Report(Program& program, const JobOptions& options, const Result<v1::Job>& started) {
  if (!started.ok()) return program.Fail(started.status());
  if (options.waits || options.is_dry_run) return Await(program, started->id());
  return Print(program, *started);
}

ExitCode Await(Program& program, std::int64_t id) {
  const auto ended = UntilItEnds(program, id);
  if (!ended.ok()) return program.Fail(ended.status());
  Print(program, *ended);
  const bool is_well = ended->state() == v1::Job::STATE_COMPLETED && ended->left_count() == 0;
  return is_well ? ExitCode::kOk : ExitCode::kFailed;
}

ExitCode Print(Program& program, const v1::Job& job) {
  if (program.is_json) {
    program.out.PrintJson(FieldsToJson(job));
  } else {
    program.out.Print("job {}\n", job.id());
    PrintFields(program.out, job);
  }
  return ExitCode::kOk;
}

}  // namespace wharf::tool
