#include "tools/wharf/jobs/job_command.h"

#include <memory>

#include <fmt/core.h>

#include "tools/wharf/all_pages.h"
#include "tools/wharf/jobs/job_run.h"
#include "tools/wharf/terminal/table.h"
#include "tools/wharf/text/field_text.h"
#include "tools/wharf/text/number_option.h"

namespace wharf::tool {
namespace {

std::string Text(const v1::Job& job, int field_number) {
  return FieldToText(job, *v1::Job::descriptor()->FindFieldByNumber(field_number));
}

void PrintTable(Output& out, const v1::ListJobsResponse& all) {
  using Kind = Column::Kind;
  Table table({{"JOB", Kind::kNumber},
               {"KIND", Kind::kWord},
               {"STATE", Kind::kWord},
               {"MATCHED", Kind::kNumber},
               {"DONE", Kind::kNumber},
               {"LEFT", Kind::kNumber},
               {"QUEUE", Kind::kText}},
              out);
  for (const v1::Job& job : all.jobs()) {
    table.Add({std::to_string(job.id()), Text(job, v1::Job::kKindFieldNumber),
               Text(job, v1::Job::kStateFieldNumber), std::to_string(job.matched_count()),
               std::to_string(job.done_count()), std::to_string(job.left_count()),
               job.entity_path()});
  }
  table.End();
}

ExitCode List(Program& program) {
  const auto all = AllPages<v1::ListJobsResponse>(
      [&](const std::string& token) { return program.client().management().ListJobs(token); });
  if (!all.ok()) return program.Fail(all.status());
  if (!program.is_json) {
    PrintTable(program.out, *all);
    return ExitCode::kOk;
  }
  Json jobs = Json::array();
  for (const v1::Job& job : all->jobs()) jobs.push_back(FieldsToJson(job));
  program.out.PrintJson({{"jobs", std::move(jobs)}});
  return ExitCode::kOk;
}

ExitCode Show(Program& program, std::int64_t id) {
  const auto job = program.client().management().GetJob(id);
  return job.ok() ? Print(program, *job) : program.Fail(job.status());
}

ExitCode Cancel(Program& program, std::int64_t id) {
  const auto job = program.client().management().CancelJob(id);
  return job.ok() ? Print(program, *job) : program.Fail(job.status());
}

void AddJobVerb(CLI::App& noun, Program& program, const std::string& verb, const std::string& help,
                ExitCode (*run)(Program&, std::int64_t)) {
  const auto id = std::make_shared<std::int64_t>();
  CLI::App& command = *noun.add_subcommand(verb, help);
  AddNumberOption(command, "JOB", *id, "Its id, as the command that started it printed it")
      ->required();
  command.callback(
      [id, run, &program] { program.action = [id, run, &program] { return run(program, *id); }; });
}

}  // namespace

void AddJobCommand(CLI::App& app, Program& program) {
  CLI::App& noun = *app.add_subcommand("job", "List, show, cancel and await jobs");
  noun.require_subcommand(1);
  noun.fallthrough();
  noun.add_subcommand("list", "List all jobs, the oldest first; one that has ended stays for a day")
      ->callback([&program] { program.action = [&program] { return List(program); }; });
  AddJobVerb(noun, program, "show", "Show a job and how far it is", Show);
  AddJobVerb(noun, program, "cancel", "End a job; what it has done stays done", Cancel);
  AddJobVerb(noun, program, "wait", "Wait for the end of a job, and show it", Await);
}

}  // namespace wharf::tool
