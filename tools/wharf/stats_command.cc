#include "tools/wharf/stats_command.h"

#include "tools/wharf/field_text.h"

namespace wharf::tool {
namespace {

ExitCode Stats(Program& program) {
  const auto statistics = program.client().management().GetBrokerStatistics();
  if (!statistics.ok()) return Fail(statistics.status());
  if (program.is_json) {
    PrintJson(FieldsToJson(*statistics));
  } else {
    PrintFields(*statistics);
  }
  return ExitCode::kOk;
}

}  // namespace

void AddStatsCommand(CLI::App& app, Program& program) {
  app.add_subcommand("stats", "Show what the broker has done since it started")
      ->callback([&program] { program.action = [&program] { return Stats(program); }; });
}

}  // namespace wharf::tool
