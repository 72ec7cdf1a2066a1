#include "tools/wharf/definitions/definitions_command.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <fmt/core.h>

#include "tools/wharf/access/access_note.h"
#include "tools/wharf/definitions/applier.h"
#include "tools/wharf/definitions/broker_definitions.h"
#include "tools/wharf/definitions/definitions_file.h"
#include "tools/wharf/definitions/definitions_writer.h"
#include "tools/wharf/definitions/plan.h"
#include "tools/wharf/definitions/plan_printer.h"
#include "tools/wharf/terminal/consent.h"
#include "tools/wharf/text/printable_text.h"

namespace wharf::tool {
namespace {

struct DefinitionsOptions {
  std::string file = "-";
  PlanOptions plan;
  bool is_sure = false;
};

// What is in it, for who wrote it to a file.
ExitCode PrintExported(Program& program, const Definitions& definitions) {
  std::size_t subscriptions = 0;
  for (const TopicDefinition& topic : definitions.topics) {
    subscriptions += topic.subscriptions.size();
  }
  if (program.is_json) {
    program.out.PrintJson({{"queues", definitions.queues.size()},
                           {"topics", definitions.topics.size()},
                           {"subscriptions", subscriptions}});
  } else {
    program.out.Print("exported {} queues, {} topics and {} subscriptions\n",
                      definitions.queues.size(), definitions.topics.size(), subscriptions);
  }
  return ExitCode::kOk;
}

ExitCode Export(Program& program, const DefinitionsOptions& options) {
  const Result<BrokerDefinitions> broker = ReadBroker(program.client());
  if (!broker.ok()) return program.Fail(broker.status());
  if (options.file == "-" && program.is_json) {
    program.out.PrintJson(WriteDefinitions(broker->definitions));
    return ExitCode::kOk;
  }
  const std::string text = DefinitionsText(broker->definitions);
  if (const Status fits = CheckDefinitionsSize(text); !fits.ok()) return program.Fail(fits);
  if (options.file == "-") {
    program.out.Write(text);
    return ExitCode::kOk;
  }
  const Status saved = SaveDefinitions(options.file, text);
  return saved.ok() ? PrintExported(program, broker->definitions) : program.Fail(saved);
}

Result<Plan> PlanFor(Program& program, const Definitions& wanted, PlanOptions options) {
  options.own_rule = OwnRuleOf(program);
  const Result<BrokerDefinitions> present = ReadBroker(program.client());
  if (!present.ok()) return present.status();
  Plan plan = MakePlan(wanted, *present, options);
  WHARF_RETURN_IF_ERROR(CheckRules(program.client(), plan));
  return plan;
}

ExitCode Diff(Program& program, const DefinitionsOptions& options) {
  const Result<Definitions> wanted = LoadDefinitions(options.file);
  if (!wanted.ok()) return program.FailUsage(wanted.status());
  const Result<Plan> plan = PlanFor(program, *wanted, options.plan);
  if (!plan.ok()) return program.Fail(plan.status());
  PrintPlan(program, *plan);
  return plan->IsEmpty() ? ExitCode::kOk : ExitCode::kDiffers;
}

ExitCode FailAtObstacle(Program& program, const Plan& plan) {
  const std::size_t others = plan.obstacles.size() - 1;
  return program.Fail(
      {ErrorCode::kInvalidOperation,
       fmt::format("nothing was done: {}{}", plan.obstacles.front().why,
                   others == 0 ? "" : fmt::format("; and {} more, see the plan", others))});
}

ExitCode PrintDoneOf(Program& program, const Plan& plan, std::size_t done) {
  if (program.is_json) {
    program.out.PrintJson({{"done", done}, {"not_done", plan.changes.size() - done}});
  } else if (plan.changes.empty()) {
    program.out.Print("nothing to do\n");
  } else if (done == plan.changes.size()) {
    program.out.Print("done: {} change{}\n", done, done == 1 ? "" : "s");
  } else {
    program.out.Print("done: {} of {} changes; apply the file again to go on\n", done,
                      plan.changes.size());
  }
  return ExitCode::kOk;
}

// What was done before it is told, too.
ExitCode FailAt(Program& program, const Plan& plan, std::size_t place, const Status& why) {
  PrintDoneOf(program, plan, place);
  return program.Fail({why.code(),
                       fmt::format("{}: {}", TextOf(plan.changes[place]), why.message()),
                       why.outcome()});
}

ExitCode Carry(Program& program, const Plan& plan, const PlanOptions& options) {
  Applier applier(program.client(), options);
  for (std::size_t i = 0; i < plan.changes.size(); ++i) {
    const Status done = applier.Do(plan.changes[i]);
    if (!done.ok()) return FailAt(program, plan, i, done);
  }
  const auto makes_access_rule = [](const Change& each) {
    return each.verb == Change::Verb::kCreate && each.kind == DefinitionKind::kAccessRule;
  };
  if (std::any_of(plan.changes.begin(), plan.changes.end(), makes_access_rule)) {
    NoteIfAccessIsOff(program);
  }
  return PrintDoneOf(program, plan, plan.changes.size());
}

std::string QuestionOf(const Plan& plan, std::ptrdiff_t deletions) {
  std::int64_t messages = 0;
  bool has_states = false;
  for (const Change& each : plan.changes) {
    messages += each.lost.messages;
    has_states = has_states || each.lost.has_only_states();
  }
  return fmt::format("apply it, and delete {} of what is there with {} message{}{}?", deletions,
                     messages, messages == 1 ? "" : "s", has_states ? " and session states" : "");
}

ExitCode Apply(Program& program, const DefinitionsOptions& options) {
  const Result<Definitions> wanted = LoadDefinitions(options.file);
  if (!wanted.ok()) return program.FailUsage(wanted.status());
  const Result<Plan> plan = PlanFor(program, *wanted, options.plan);
  if (!plan.ok()) return program.Fail(plan.status());
  PrintPlan(program, *plan);
  if (!plan->obstacles.empty()) return FailAtObstacle(program, *plan);
  const auto is_deletion = [](const Change& each) { return each.verb == Change::Verb::kDelete; };
  const auto deletions = std::count_if(plan->changes.begin(), plan->changes.end(), is_deletion);
  const auto carry = [&] { return Carry(program, *plan, options.plan); };
  if (deletions == 0) return carry();
  const auto question = [&]() -> Result<std::string> { return QuestionOf(*plan, deletions); };
  return WithConsent(program, options.is_sure, question, carry);
}

CLI::App& AddDefinitionsVerb(CLI::App& noun, Program& program, const std::string& verb,
                             const std::string& help,
                             const std::shared_ptr<DefinitionsOptions>& options,
                             ExitCode (*run)(Program&, const DefinitionsOptions&)) {
  CLI::App& command = *noun.add_subcommand(verb, help);
  command.callback([options, run, &program] {
    program.action = [options, run, &program] { return run(program, *options); };
  });
  return command;
}

void AddPlanOptions(CLI::App& command, DefinitionsOptions& options) {
  command
      .add_option("FILE", options.file,
                  "The file, of 64 MiB at most, as export writes it; - is the standard input")
      ->required();
  CLI::Option* deletes =
      command.add_flag("--delete", options.plan.deletes,
                       "Delete what is not in the file: entities, rules and access rules; what "
                       "holds messages, or states of sessions, is in the way");
  command
      .add_flag("--lose-messages", options.plan.loses_messages,
                "Delete also what holds messages or states of sessions, with all of them")
      ->needs(deletes);
}

}  // namespace

void AddDefinitionsCommand(CLI::App& app, Program& program) {
  CLI::App& noun = *app.add_subcommand(
      "definitions",
      "All queues, topics, subscriptions, rules and access rules as one file: export it, compare a "
      "broker with it, make a broker like it");
  noun.require_subcommand(1);
  noun.fallthrough();
  const auto exported = std::make_shared<DefinitionsOptions>();
  AddDefinitionsVerb(noun, program, "export",
                     "Write what the broker has; no message, no key, no counter, in an order that "
                     "stays",
                     exported, Export)
      .add_option("FILE", exported->file, "The file; - is the standard output, the default");
  const auto compared = std::make_shared<DefinitionsOptions>();
  AddPlanOptions(AddDefinitionsVerb(noun, program, "diff",
                                    "Print what apply would do; nothing is changed. The exit code "
                                    "is 6 if anything differs",
                                    compared, Diff),
                 *compared);
  const auto applied = std::make_shared<DefinitionsOptions>();
  CLI::App& apply = AddDefinitionsVerb(
      noun, program, "apply",
      "Make the broker like the file: print the plan, then create and update; what is not in the "
      "file stays. The whole file is checked before anything is done, and a second time nothing is",
      applied, Apply);
  AddPlanOptions(apply, *applied);
  AddYesOption(apply, applied->is_sure);
}

}  // namespace wharf::tool
