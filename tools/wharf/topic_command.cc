#include "tools/wharf/topic_command.h"

#include <memory>

#include <fmt/core.h>

#include "tools/wharf/all_pages.h"
#include "tools/wharf/entity_printer.h"
#include "tools/wharf/progress_bar.h"
#include "tools/wharf/topic_property_list.h"

namespace wharf::tool {
namespace {

struct TopicOptions {
  std::string name;
  GivenProperties given;
  bool starts_from_defaults = false;
};
using Options = std::shared_ptr<TopicOptions>;

ExitCode Create(Program& program, const TopicOptions& options) {
  v1::TopicProperties topic;
  Apply(options.given, topic);
  topic.set_name(options.name);
  const auto created = program.client().topics().CreateTopic(topic);
  return created.ok() ? PrintEntity(program, *created, nullptr) : program.Fail(created.status());
}

// What is fixed at creation, and how the topic is that has it: nobody may make it anew meanwhile.
Status StartFromDefaults(Program& program, v1::UpdateTopicRequest& request) {
  const auto current = program.client().topics().GetTopic(request.entity_path());
  if (!current.ok()) return current.status();
  KeepFixedProperties(AllTopicProperties(), *current, *request.mutable_topic());
  request.mutable_topic()->set_etag(current->etag());
  return {};
}

ExitCode Update(Program& program, const TopicOptions& options) {
  v1::UpdateTopicRequest request;
  request.set_entity_path(options.name);
  if (options.starts_from_defaults) {
    const Status status = StartFromDefaults(program, request);
    if (!status.ok()) return program.Fail(status);
  } else {
    AddTo(*request.mutable_update_mask(), options.given);
    if (request.update_mask().paths().empty()) return FailWithoutProperties(program);
  }
  Apply(options.given, *request.mutable_topic());
  const auto updated = program.client().topics().UpdateTopic(request);
  return updated.ok() ? PrintEntity(program, *updated, nullptr) : program.Fail(updated.status());
}

ExitCode Show(Program& program, const TopicOptions& options) {
  client::Topics& topics = program.client().topics();
  const auto topic = topics.GetTopic(options.name);
  if (!topic.ok()) return program.Fail(topic.status());
  const auto runtime = topics.GetTopicRuntimeProperties(options.name);
  if (!runtime.ok()) return program.Fail(runtime.status());
  return PrintEntity(program, *topic, &*runtime);
}

ExitCode Delete(Program& program, const TopicOptions& options) {
  const Status status = program.client().topics().DeleteTopic(options.name);
  return status.ok() ? PrintDeleted(program, options.name) : program.Fail(status);
}

void PrintTable(Output& out, const v1::ListTopicsResponse& all) {
  const int width = NameWidth(all.topics());
  out.Print("{:<{}} {:>13} {:>12} {:>16}\n", "NAME", width, "SUBSCRIPTIONS", "SCHEDULED", "BYTES");
  for (const auto& runtime : all.runtime()) {
    out.Print("{:<{}} {:>13} {:>12} {:>16}\n", runtime.name(), width, runtime.subscription_count(),
              WithThousands(static_cast<std::uint64_t>(runtime.scheduled_message_count())),
              WithThousands(static_cast<std::uint64_t>(runtime.size_in_bytes())));
  }
}

ExitCode List(Program& program) {
  const auto all = AllPages<v1::ListTopicsResponse>(
      [&](const std::string& token) { return program.client().topics().ListTopics(token); });
  if (!all.ok()) return program.Fail(all.status());
  if (program.is_json) {
    program.out.PrintJson({{"topics", EntitiesToJson(all->topics(), all->runtime())}});
  } else {
    PrintTable(program.out, *all);
  }
  return ExitCode::kOk;
}

CLI::App& AddVerb(CLI::App& noun, Program& program, const std::string& verb,
                  const std::string& help, const Options& options,
                  ExitCode (*run)(Program&, const TopicOptions&)) {
  CLI::App& command = *noun.add_subcommand(verb, help);
  command.add_option("NAME", options->name, "The topic's path, e.g. orders or site1/orders")
      ->required();
  command.callback([options, run, &program] {
    program.action = [options, run, &program] { return run(program, *options); };
  });
  return command;
}

void AddPropertyOptions(CLI::App& command, bool is_creation, TopicOptions& options) {
  tool::AddPropertyOptions(command, v1::TopicProperties::default_instance(), AllTopicProperties(),
                           is_creation, options.given);
}

}  // namespace

void AddTopicCommand(CLI::App& app, Program& program) {
  CLI::App& noun = *app.add_subcommand("topic", "Create, update, show, list and delete topics");
  noun.require_subcommand(1);
  noun.fallthrough();
  const auto create = std::make_shared<TopicOptions>();
  AddPropertyOptions(AddVerb(noun, program, "create", "Create a topic", create, Create),
                     /*is_creation=*/true, *create);
  const auto update = std::make_shared<TopicOptions>();
  CLI::App& update_command = AddVerb(
      noun, program, "update",
      "Change properties of a topic; those that are not given stay as they are", update, Update);
  AddPropertyOptions(update_command, /*is_creation=*/false, *update);
  update_command.add_flag("--reset", update->starts_from_defaults,
                          "Properties that are not given return to their defaults, but for those "
                          "fixed at creation");
  AddVerb(noun, program, "show", "Show a topic's properties and counters",
          std::make_shared<TopicOptions>(), Show);
  noun.add_subcommand("list", "List all topics, in the order of their names")->callback([&program] {
    program.action = [&program] { return List(program); };
  });
  AddVerb(noun, program, "delete", "Delete a topic with its subscriptions and their messages",
          std::make_shared<TopicOptions>(), Delete);
}

}  // namespace wharf::tool
