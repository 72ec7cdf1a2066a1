#include "tools/wharf/entities/subscription_command.h"

#include <memory>

#include <fmt/core.h>

#include "tools/wharf/all_pages.h"
#include "tools/wharf/entities/entity_list.h"
#include "tools/wharf/entities/entity_printer.h"
#include "tools/wharf/entities/retry_options.h"
#include "tools/wharf/entities/rule_options.h"
#include "tools/wharf/entities/topic_property_list.h"
#include "tools/wharf/terminal/consent.h"

namespace wharf::tool {
namespace {

struct SubscriptionOptions {
  client::SubscriptionId id;
  GivenProperties given;
  GivenRetryPolicy retry;
  bool starts_from_defaults = false;
  bool is_sure = false;
  bool accepts_existing = false;
  // Of `create`: the rule that it begins with.
  GivenRule rule;
  std::string rule_name;
};

ExitCode Create(Program& program, const SubscriptionOptions& options) {
  if (const Status checked = CheckNew(options.retry); !checked.ok()) {
    return program.FailUsage(checked);
  }
  v1::CreateSubscriptionRequest request;
  v1::SubscriptionProperties& subscription = *request.mutable_subscription();
  Apply(options.given, subscription);
  Apply(options.retry, subscription);
  subscription.set_topic(options.id.topic);
  subscription.set_name(options.id.name);
  *request.mutable_default_rule() = RuleOf(options.rule);
  request.mutable_default_rule()->set_name(options.rule_name);
  client::Topics& topics = program.client().topics();
  const auto created = topics.CreateSubscription(request);
  if (created.ok()) return PrintEntity(program, *created, nullptr);
  if (!options.accepts_existing || !IsInTheWay(created.status())) {
    return program.Fail(created.status());
  }
  const auto existing = topics.GetSubscription(options.id);
  return existing.ok()
             ? PrintExisting(program, options.id.path(), options.given, subscription, *existing)
             : program.Fail(created.status());
}

// What is fixed at creation, and how the subscription is that has it: nobody may make it anew
// meanwhile.
Status StartFromDefaults(Program& program, const client::SubscriptionId& id,
                         v1::UpdateSubscriptionRequest& request) {
  const auto current = program.client().topics().GetSubscription(id);
  if (!current.ok()) return current.status();
  KeepFixedProperties(AllSubscriptionProperties(), *current, *request.mutable_subscription());
  request.mutable_subscription()->set_etag(current->etag());
  return {};
}

ExitCode Update(Program& program, const SubscriptionOptions& options) {
  v1::UpdateSubscriptionRequest request;
  request.set_entity_path(options.id.path());
  if (options.starts_from_defaults) {
    const Status status = StartFromDefaults(program, options.id, request);
    if (!status.ok()) return program.Fail(status);
  } else {
    AddTo(*request.mutable_update_mask(), options.given);
    AddTo(*request.mutable_update_mask(), options.retry);
    if (request.update_mask().paths().empty()) return FailWithoutProperties(program);
  }
  Apply(options.given, *request.mutable_subscription());
  Apply(options.retry, *request.mutable_subscription());
  const auto updated = program.client().topics().UpdateSubscription(request);
  return updated.ok() ? PrintEntity(program, *updated, nullptr) : program.Fail(updated.status());
}

ExitCode Show(Program& program, const SubscriptionOptions& options) {
  client::Topics& topics = program.client().topics();
  const auto subscription = topics.GetSubscription(options.id);
  if (!subscription.ok()) return program.Fail(subscription.status());
  const auto runtime = topics.GetSubscriptionRuntimeProperties(options.id);
  if (!runtime.ok()) return program.Fail(runtime.status());
  return PrintEntity(program, *subscription, &*runtime);
}

ExitCode Delete(Program& program, const SubscriptionOptions& options) {
  const Status status = program.client().topics().DeleteSubscription(options.id);
  return status.ok() ? PrintDeleted(program, options.id.path()) : program.Fail(status);
}

ExitCode AskAndDelete(Program& program, const SubscriptionOptions& options) {
  const auto question = [&]() -> Result<std::string> {
    const auto messages = MessagesIn(program, options.id.path());
    if (!messages.ok()) return messages.status();
    return fmt::format("delete the subscription {} with {}?", options.id.path(), *messages);
  };
  return WithConsent(program, options.is_sure, question, [&] { return Delete(program, options); });
}

ListShape ShapeOfList(bool is_of_all_topics) {
  ListShape shape = {.plural = "subscriptions",
                     .columns = {{"NAME", Column::Kind::kText},
                                 {"ACTIVE", Column::Kind::kNumber},
                                 {"DEAD-LETTER", Column::Kind::kNumber}},
                     .counters = {"active_message_count", "dead_letter_message_count"},
                     .orders = {{"messages", "total_message_count"},
                                {"active", "active_message_count"},
                                {"dead-letter", "dead_letter_message_count"}}};
  if (is_of_all_topics) {
    shape.columns.insert(shape.columns.begin(), {"TOPIC", Column::Kind::kText});
  }
  return shape;
}

struct SubscriptionListOptions {
  std::string topic;
  ListOptions list;
};

// Whether more is wanted.
Result<bool> AddThoseOf(const std::string& topic, bool is_of_all_topics, client::Topics& topics,
                        EntityList& list) {
  bool wants_more = true;
  const auto add = [&](const v1::ListSubscriptionsResponse& page) {
    for (int i = 0; i < page.subscriptions_size() && wants_more; ++i) {
      const v1::SubscriptionProperties& subscription = page.subscriptions(i);
      std::vector<std::string> names = {subscription.name()};
      if (is_of_all_topics) names.insert(names.begin(), subscription.topic());
      wants_more = list.Add(names, subscription, page.runtime(i));
    }
    return wants_more;
  };
  WHARF_RETURN_IF_ERROR(EachPage(
      [&](const std::string& token) { return topics.ListSubscriptions(topic, token); }, add));
  return wants_more;
}

// A topic that was deleted meanwhile has none.
Status AddThoseOfAll(client::Topics& topics, EntityList& list) {
  Status failure;
  const auto add = [&](const v1::ListTopicsResponse& page) {
    for (const v1::TopicProperties& topic : page.topics()) {
      const auto added = AddThoseOf(topic.name(), /*is_of_all_topics=*/true, topics, list);
      const bool is_gone = added.status().code() == ErrorCode::kMessagingEntityNotFound;
      if (!added.ok() && !is_gone) failure = added.status();
      if (!failure.ok() || (added.ok() && !*added)) return false;
    }
    return true;
  };
  WHARF_RETURN_IF_ERROR(
      EachPage([&](const std::string& token) { return topics.ListTopics(token); }, add));
  return failure;
}

ExitCode List(Program& program, const SubscriptionListOptions& options) {
  client::Topics& topics = program.client().topics();
  const bool is_of_all_topics = options.topic.empty();
  const ListShape shape = ShapeOfList(is_of_all_topics);
  EntityList list(program, shape, options.list);
  const Status listed =
      is_of_all_topics
          ? AddThoseOfAll(topics, list)
          : AddThoseOf(options.topic, /*is_of_all_topics=*/false, topics, list).status();
  if (!listed.ok()) return program.Fail(listed);
  list.End();
  return ExitCode::kOk;
}

CLI::App& AddSubscriptionVerb(CLI::App& noun, Program& program, const std::string& verb,
                              const std::string& help,
                              const std::shared_ptr<SubscriptionOptions>& options,
                              ExitCode (*run)(Program&, const SubscriptionOptions&)) {
  CLI::App& command = *noun.add_subcommand(verb, help);
  command.add_option("TOPIC", options->id.topic, "The topic's path")->required();
  command.callback([options, run, &program] {
    program.action = [options, run, &program] { return run(program, *options); };
  });
  return command;
}

CLI::App& AddNamedSubscriptionVerb(CLI::App& noun, Program& program, const std::string& verb,
                                   const std::string& help,
                                   const std::shared_ptr<SubscriptionOptions>& options,
                                   ExitCode (*run)(Program&, const SubscriptionOptions&)) {
  CLI::App& command = AddSubscriptionVerb(noun, program, verb, help, options, run);
  command.add_option("NAME", options->id.name, "The subscription's name, e.g. billing")->required();
  return command;
}

void AddPropertyOptions(CLI::App& command, bool is_creation, SubscriptionOptions& options) {
  tool::AddPropertyOptions(command, v1::SubscriptionProperties::default_instance(),
                           AllSubscriptionProperties(), is_creation, options.given);
  AddRetryOptions(command, options.retry);
}

void AddSubscriptionList(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<SubscriptionListOptions>();
  CLI::App& command =
      *noun.add_subcommand("list", "List the subscriptions of a topic, or of all topics");
  command.add_option("TOPIC", options->topic, "The topic's path; without one: of all topics");
  AddListOptions(command, ShapeOfList(/*is_of_all_topics=*/true), options->list);
  command.callback([options, &program] {
    program.action = [options, &program] { return List(program, *options); };
  });
}

void AddSubscriptionCreate(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<SubscriptionOptions>();
  CLI::App& command = AddNamedSubscriptionVerb(
      noun, program, "create", "Create a subscription, with one rule: which messages it gets",
      options, Create);
  AddIfNotExistsFlag(command, options->accepts_existing);
  AddPropertyOptions(command, /*is_creation=*/true, *options);
  AddRuleOptions(command, options->rule);
  command
      .add_option("--rule-name", options->rule_name, "What the rule is called; default $Default")
      ->type_name("NAME");
}

void AddSubscriptionUpdate(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<SubscriptionOptions>();
  CLI::App& command = AddNamedSubscriptionVerb(
      noun, program, "update",
      "Change properties of a subscription; those that are not given stay as they are", options,
      Update);
  AddPropertyOptions(command, /*is_creation=*/false, *options);
  command.add_flag("--reset", options->starts_from_defaults,
                   "Properties that are not given return to their defaults, but for those fixed "
                   "at creation");
}

}  // namespace

void AddSubscriptionCommand(CLI::App& app, Program& program) {
  CLI::App& noun = *app.add_subcommand(
      "subscription",
      "Create, update, show, list and delete subscriptions of topics; their messages are received "
      "from TOPIC/Subscriptions/NAME");
  noun.require_subcommand(1);
  noun.fallthrough();
  AddSubscriptionCreate(noun, program);
  AddSubscriptionUpdate(noun, program);
  AddNamedSubscriptionVerb(noun, program, "show", "Show a subscription's properties and counters",
                           std::make_shared<SubscriptionOptions>(), Show);
  AddSubscriptionList(noun, program);
  const auto removal = std::make_shared<SubscriptionOptions>();
  AddYesOption(AddNamedSubscriptionVerb(
                   noun, program, "delete",
                   "Delete a subscription with its rules, messages and dead-letter queue", removal,
                   AskAndDelete),
               removal->is_sure);
}

}  // namespace wharf::tool
