#include "tools/wharf/service/clock_command.h"

#include <memory>

#include <fmt/core.h>

#include "storage/base/duration_text.h"
#include "tools/wharf/text/field_text.h"

namespace wharf::tool {
namespace {

ExitCode PrintTime(Program& program, const Result<v1::ClockTime>& time) {
  if (!time.ok()) return program.Fail(time.status());
  if (program.is_json) {
    program.out.PrintJson(FieldsToJson(*time));
  } else {
    program.out.Print("{}\n", FieldToText(*time, *v1::ClockTime::descriptor()->field(0)));
  }
  return ExitCode::kOk;
}

void AddGet(CLI::App& clock, Program& program) {
  clock.add_subcommand("get", "Print what time it is for the broker")->callback([&program] {
    program.action = [&program] { return PrintTime(program, program.client().clock().Get()); };
  });
}

void AddAdvance(CLI::App& clock, Program& program) {
  const auto by = std::make_shared<Duration>();
  CLI::App& command = *clock.add_subcommand(
      "advance", "Move time forward, do all that became due, and print the new time");
  AddDurationOption(command, "by", *by, "How far: 30s, 1h30m")->required()->default_str("");
  command.callback([by, &program] {
    program.action = [by, &program] {
      return PrintTime(program, program.client().clock().Advance(*by));
    };
  });
}

}  // namespace

void AddClockCommand(CLI::App& app, Program& program) {
  CLI::App& clock =
      *app.add_subcommand("clock", "Time, of a broker that was started with --clock=manual");
  clock.require_subcommand(1);
  AddGet(clock, program);
  AddAdvance(clock, program);
}

}  // namespace wharf::tool
