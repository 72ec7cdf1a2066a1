#include "tools/wharf/service/check_command.h"

#include <cstdint>
#include <memory>
#include <string>

#include <fmt/core.h>

#include "tools/wharf/terminal/table.h"
#include "tools/wharf/text/field_text.h"

namespace wharf::tool {
namespace {

struct CheckOptions {
  std::string name;
  // Of a subscription.
  std::string topic;
  bool repairs = false;

  std::string path() const { return topic.empty() ? name : topic + "/Subscriptions/" + name; }
};

void PrintDifferences(Output& out, const v1::CheckEntityResponse& report) {
  Table table({{"PART", Column::Kind::kWord},
               {"WHAT", Column::Kind::kWord},
               {"COUNTED", Column::Kind::kNumber},
               {"FOUND", Column::Kind::kNumber}},
              out);
  for (const v1::CheckDifference& each : report.differences()) {
    table.Add({each.is_of_dead_letter_queue() ? "dead-letter queue" : "entity", each.what(),
               std::to_string(each.counted()), std::to_string(each.found())});
  }
  table.End();
}

std::string MessagesText(std::int64_t count) {
  return fmt::format("{} message{}", count, count == 1 ? "" : "s");
}

void PrintText(Output& out, const CheckOptions& options, const v1::CheckEntityResponse& report) {
  const std::string path = options.path();
  if (!report.differences().empty()) PrintDifferences(out, report);
  if (report.repaired()) {
    out.Print("{}: repaired; {}\n", path, MessagesText(report.checked_message_count()));
  } else if (!report.fence().empty()) {
    out.Print("{}: fenced: {}\n", path, report.fence());
  } else if (report.differences().empty()) {
    out.Print("{}: everything agrees; {}\n", path, MessagesText(report.checked_message_count()));
  } else {
    out.Print("{}: not repaired; --repair does that\n", path);
  }
}

bool IsWhole(const v1::CheckEntityResponse& report) {
  return report.repaired() || (report.differences().empty() && report.fence().empty());
}

ExitCode Check(Program& program, const CheckOptions& options) {
  v1::CheckEntityRequest request;
  request.set_entity_path(options.path());
  request.set_repair(options.repairs);
  const auto report = program.client().management().CheckEntity(request);
  if (!report.ok()) return program.Fail(report.status());
  if (program.is_json) {
    program.out.PrintJson(FieldsToJson(*report));
  } else {
    PrintText(program.out, options, *report);
  }
  return IsWhole(*report) ? ExitCode::kOk : ExitCode::kFailed;
}

void AddKind(CLI::App& noun, Program& program, const std::string& kind, const std::string& help) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App& command = *noun.add_subcommand(kind, help);
  if (kind == "subscription") {
    command.add_option("TOPIC", options->topic, "The path of its topic")->required();
  }
  command
      .add_option("NAME", options->name,
                  "The path of the queue or topic, or the name of the subscription")
      ->required();
  command.add_flag("--repair", options->repairs,
                   "Mend what does not agree: nobody uses the entity meanwhile, and everybody can "
                   "afterwards, also if it was fenced");
  command.callback([options, &program] {
    program.action = [options, &program] { return Check(program, *options); };
  });
}

}  // namespace

void AddCheckCommand(CLI::App& app, Program& program) {
  CLI::App& noun = *app.add_subcommand(
      "check",
      "Count an entity from its messages and compare that with its counters; the exit code is 1 if "
      "they differ, or it is fenced, and it is not repaired");
  noun.require_subcommand(1);
  AddKind(noun, program, "queue", "A queue with its dead-letter queue");
  AddKind(noun, program, "topic", "A topic, without its subscriptions");
  AddKind(noun, program, "subscription", "A subscription with its dead-letter queue");
}

}  // namespace wharf::tool
