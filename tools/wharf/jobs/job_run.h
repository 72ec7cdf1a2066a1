// JobRun: what the commands that start a job have in common: the selection of messages, the wait
// for the end, the report.
//
// Used by `wharf redrive`, `wharf delete-selected` and `wharf job`, on the main thread.
#pragma once

#include <optional>
#include <string>

#include "tools/wharf/text/moment.h"
#include "tools/wharf/text/number_list.h"

namespace wharf::tool {

struct JobOptions {
  std::string queue;
  std::optional<std::string> reason;
  std::optional<Moment> from;
  std::optional<Moment> before;
  Numbers numbers;
  std::string sql_filter;
  std::uint32_t rate_max = 0;
  bool is_dry_run = false;
  bool waits = false;

  // Otherwise every message is meant.
  bool has_selection() const {
    return reason || from || before || !numbers.empty() || !sql_filter.empty();
  }
};

void AddJobOptions(CLI::App& command, JobOptions& options);

Result<v1::MessageSelection> SelectionOf(Program& program, const JobOptions& options);

// Prints a job that was started, at once or, if so asked, when it has ended.
ExitCode Report(Program& program, const JobOptions& options, const Result<v1::Job>& started);
// Prints the job when it has ended. ExitCode::kFailed if it failed or left messages where they are.
ExitCode Await(Program& program, std::int64_t id);
ExitCode Print(Program& program, const v1::Job& job);

}  // namespace wharf::tool
