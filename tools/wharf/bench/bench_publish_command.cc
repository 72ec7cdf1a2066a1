#include "tools/wharf/bench/bench_publish_command.h"

#include <memory>
#include <optional>

#include <fmt/core.h>

#include "tools/wharf/bench/publish.h"
#include "tools/wharf/text/number_option.h"

namespace wharf::tool {
namespace {

struct PublishOptions {
  BenchPlan plan;
  PublishTopicPlan topic;
  std::optional<std::size_t> matching;
  bool keeps_topic = false;
};

Result<PublishReport> Measure(Program& program, PublishTopic& topic, const BenchPlan& plan) {
  if (const Status created = topic.Create(); !created.ok()) return created;
  return BenchPublish(program.client(), topic, plan);
}

ExitCode Publish(Program& program, const PublishOptions& options) {
  BenchPlan plan = options.plan;
  plan.address = program.target();
  PublishTopicPlan topic_plan = options.topic;
  topic_plan.matching = options.matching.value_or(topic_plan.subscriptions);
  PublishTopic topic(program, topic_plan);
  if (options.keeps_topic) topic.Keep();
  const Result<PublishReport> report = Measure(program, topic, plan);
  topic.WaitIfInterrupted();
  if (!report.ok()) return program.Fail(report.status());
  if (program.is_json) {
    program.out.PrintJson({{"topic", topic.name()}, {"report", ToJson(*report)}});
  } else {
    program.out.Print("{}", ToText(*report));
  }
  return report->send.errors == 0 ? ExitCode::kOk : ExitCode::kFailed;
}

void AddTopicOptions(CLI::App& command, PublishOptions& options) {
  command.add_option("--topic", options.topic.name, "The topic's name; a random suffix is added")
      ->capture_default_str();
  command.add_flag("--keep", options.keeps_topic, "Leave the topic and what is in it");
  AddNumberOption(command, "--subscriptions", options.topic.subscriptions, "How many it has",
                  {.min = 1, .max = 100'000});
  CLI::Option* matching = AddNumberOption(command, "--matching", options.matching,
                                          "How many of them get each message; default: all");
  const auto add_rules = [&](const char* name, std::size_t& count, const char* help) {
    return AddNumberOption(command, name, count, help)->excludes(matching);
  };
  add_rules("--sql-rules", options.topic.sql_rules,
            "Spread so many rules with an SQL filter over the subscriptions, instead");
  add_rules("--correlation-rules", options.topic.correlation_rules,
            "And so many with a correlation filter");
  add_rules("--matching-rules", options.topic.matching_rules, "How many of these rules match");
}

void AddLoadOptions(CLI::App& command, BenchPlan& plan) {
  AddNumberOption(command, "--size", plan.body_size, "The body of a message, in bytes",
                  {.max = std::uint64_t{1} << 20});
  AddNumberOption(command, "--connections", plan.connections, "TCP connections",
                  {.min = 1, .max = 1000});
  AddNumberOption(command, "--window", plan.window, "Messages without a receipt, per connection",
                  {.min = 1, .max = 100'000});
  AddNumberOption(command, "--messages", plan.messages,
                  "End after so many messages instead of --duration", {.min = 1});
  AddDurationOption(command, "--duration", plan.duration, "End after this time");
}

}  // namespace

void AddBenchPublishCommand(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<PublishOptions>();
  CLI::App& command = *noun.add_subcommand(
      "publish", "Send to a topic whose subscriptions get copies; what a copy costs");
  AddTopicOptions(command, *options);
  AddLoadOptions(command, options->plan);
  command.callback([options, &program] {
    program.action = [options, &program] { return Publish(program, *options); };
  });
}

}  // namespace wharf::tool
