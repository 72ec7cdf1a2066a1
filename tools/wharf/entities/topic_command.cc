#include "tools/wharf/entities/topic_command.h"

#include <memory>

#include <fmt/core.h>

#include "tools/wharf/all_pages.h"
#include "tools/wharf/entities/entity_list.h"
#include "tools/wharf/entities/entity_printer.h"
#include "tools/wharf/entities/topic_property_list.h"
#include "tools/wharf/terminal/consent.h"

namespace wharf::tool {
namespace {

struct TopicOptions {
  std::string name;
  GivenProperties given;
  bool starts_from_defaults = false;
  bool is_sure = false;
  bool accepts_existing = false;
};

ExitCode Create(Program& program, const TopicOptions& options) {
  v1::TopicProperties topic;
  Apply(options.given, topic);
  topic.set_name(options.name);
  client::Topics& topics = program.client().topics();
  const auto created = topics.CreateTopic(topic);
  if (created.ok()) return PrintEntity(program, *created, nullptr);
  if (!options.accepts_existing || !IsInTheWay(created.status())) {
    return program.Fail(created.status());
  }
  const auto existing = topics.GetTopic(options.name);
  return existing.ok() ? PrintExisting(program, options.name, options.given, topic, *existing)
                       : program.Fail(created.status());
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

ExitCode AskAndDelete(Program& program, const TopicOptions& options) {
  const auto question = [&]() -> Result<std::string> {
    const auto runtime = program.client().topics().GetTopicRuntimeProperties(options.name);
    if (!runtime.ok()) return runtime.status();
    const auto count = runtime->subscription_count();
    return fmt::format("delete the topic {} with its {} subscription{} and their messages?",
                       options.name, count, count == 1 ? "" : "s");
  };
  return WithConsent(program, options.is_sure, question, [&] { return Delete(program, options); });
}

const ListShape kTopicListShape = {
    .plural = "topics",
    .columns = {{"NAME", Column::Kind::kText},
                {"SUBSCRIPTIONS", Column::Kind::kNumber},
                {"SCHEDULED", Column::Kind::kNumber},
                {"BYTES", Column::Kind::kNumber}},
    .counters = {"subscription_count", "scheduled_message_count", "size_in_bytes"},
    .orders = {{"subscriptions", "subscription_count"},
               {"scheduled", "scheduled_message_count"},
               {"size", "size_in_bytes"}}};

ExitCode ListTopics(Program& program, const ListOptions& options) {
  EntityList list(program, kTopicListShape, options);
  const Status listed = EachPage(
      [&](const std::string& token) { return program.client().topics().ListTopics(token); },
      [&](const v1::ListTopicsResponse& page) { return AddAll(list, page.topics(), page); });
  if (!listed.ok()) return program.Fail(listed);
  list.End();
  return ExitCode::kOk;
}

CLI::App& AddTopicVerb(CLI::App& noun, Program& program, const std::string& verb,
                       const std::string& help, const std::shared_ptr<TopicOptions>& options,
                       ExitCode (*run)(Program&, const TopicOptions&)) {
  CLI::App& command = *noun.add_subcommand(verb, help);
  command.add_option("NAME", options->name, "The topic's path, e.g. orders or site1/orders")
      ->required();
  command.callback([options, run, &program] {
    program.action = [options, run, &program] { return run(program, *options); };
  });
  return command;
}

void AddTopicList(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<ListOptions>();
  CLI::App& command = *noun.add_subcommand("list", "List topics");
  AddListOptions(command, kTopicListShape, *options);
  command.callback([options, &program] {
    program.action = [options, &program] { return ListTopics(program, *options); };
  });
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
  CLI::App& create_command =
      AddTopicVerb(noun, program, "create", "Create a topic", create, Create);
  AddIfNotExistsFlag(create_command, create->accepts_existing);
  AddPropertyOptions(create_command, /*is_creation=*/true, *create);
  const auto update = std::make_shared<TopicOptions>();
  CLI::App& update_command = AddTopicVerb(
      noun, program, "update",
      "Change properties of a topic; those that are not given stay as they are", update, Update);
  AddPropertyOptions(update_command, /*is_creation=*/false, *update);
  update_command.add_flag("--reset", update->starts_from_defaults,
                          "Properties that are not given return to their defaults, but for those "
                          "fixed at creation");
  AddTopicVerb(noun, program, "show", "Show a topic's properties and counters",
               std::make_shared<TopicOptions>(), Show);
  AddTopicList(noun, program);
  const auto removal = std::make_shared<TopicOptions>();
  AddYesOption(AddTopicVerb(noun, program, "delete",
                            "Delete a topic with its subscriptions and their messages", removal,
                            AskAndDelete),
               removal->is_sure);
}

}  // namespace wharf::tool
