#include "tools/wharf/entities/queue_command.h"

#include <memory>

#include <fmt/core.h>

#include "tools/wharf/all_pages.h"
#include "tools/wharf/entities/entity_list.h"
#include "tools/wharf/entities/entity_printer.h"
#include "tools/wharf/entities/queue_property_list.h"
#include "tools/wharf/entities/retry_options.h"
#include "tools/wharf/terminal/consent.h"

namespace wharf::tool {
namespace {

struct QueueOptions {
  std::string name;
  GivenProperties given;
  GivenRetryPolicy retry;
  bool starts_from_defaults = false;
  bool is_sure = false;
  bool accepts_existing = false;
};

ExitCode Create(Program& program, const QueueOptions& options) {
  if (const Status checked = CheckNew(options.retry); !checked.ok()) {
    return program.FailUsage(checked);
  }
  v1::QueueProperties queue;
  Apply(options.given, queue);
  Apply(options.retry, queue);
  queue.set_name(options.name);
  client::Management& management = program.client().management();
  const auto created = management.CreateQueue(queue);
  if (created.ok()) return PrintEntity(program, *created, nullptr);
  if (!options.accepts_existing || !IsInTheWay(created.status())) {
    return program.Fail(created.status());
  }
  const auto existing = management.GetQueue(options.name);
  return existing.ok() ? PrintExisting(program, options.name, options.given, queue, *existing)
                       : program.Fail(created.status());
}

// What is fixed at creation, and how the queue is that has it: nobody may make it anew meanwhile.
Status StartFromDefaults(Program& program, v1::UpdateQueueRequest& request) {
  const auto current = program.client().management().GetQueue(request.entity_path());
  if (!current.ok()) return current.status();
  KeepFixedProperties(*current, *request.mutable_queue());
  request.mutable_queue()->set_etag(current->etag());
  return {};
}

ExitCode Update(Program& program, const QueueOptions& options) {
  v1::UpdateQueueRequest request;
  request.set_entity_path(options.name);
  if (options.starts_from_defaults) {
    const Status status = StartFromDefaults(program, request);
    if (!status.ok()) return program.Fail(status);
  } else {
    AddTo(*request.mutable_update_mask(), options.given);
    AddTo(*request.mutable_update_mask(), options.retry);
    if (request.update_mask().paths().empty()) return FailWithoutProperties(program);
  }
  Apply(options.given, *request.mutable_queue());
  Apply(options.retry, *request.mutable_queue());
  const auto updated = program.client().management().UpdateQueue(request);
  return updated.ok() ? PrintEntity(program, *updated, nullptr) : program.Fail(updated.status());
}

ExitCode Show(Program& program, const QueueOptions& options) {
  client::Management& management = program.client().management();
  const auto queue = management.GetQueue(options.name);
  if (!queue.ok()) return program.Fail(queue.status());
  const auto runtime = management.GetQueueRuntimeProperties(options.name);
  if (!runtime.ok()) return program.Fail(runtime.status());
  return PrintEntity(program, *queue, &*runtime);
}

ExitCode Delete(Program& program, const QueueOptions& options) {
  const Status status = program.client().management().DeleteQueue(options.name);
  return status.ok() ? PrintDeleted(program, options.name) : program.Fail(status);
}

ExitCode AskAndDelete(Program& program, const QueueOptions& options) {
  const auto question = [&]() -> Result<std::string> {
    const auto messages = MessagesIn(program, options.name);
    if (!messages.ok()) return messages.status();
    return fmt::format("delete the queue {} with {}?", options.name, *messages);
  };
  return WithConsent(program, options.is_sure, question, [&] { return Delete(program, options); });
}

const ListShape kQueueListShape = {.plural = "queues",
                                   .columns = {{"NAME", Column::Kind::kText},
                                               {"ACTIVE", Column::Kind::kNumber},
                                               {"DEAD-LETTER", Column::Kind::kNumber},
                                               {"SCHEDULED", Column::Kind::kNumber},
                                               {"BYTES", Column::Kind::kNumber}},
                                   .counters = {"active_message_count", "dead_letter_message_count",
                                                "scheduled_message_count", "size_in_bytes"},
                                   .orders = {{"messages", "total_message_count"},
                                              {"active", "active_message_count"},
                                              {"dead-letter", "dead_letter_message_count"},
                                              {"scheduled", "scheduled_message_count"},
                                              {"size", "size_in_bytes"}}};

ExitCode ListQueues(Program& program, const ListOptions& options) {
  EntityList list(program, kQueueListShape, options);
  const Status listed = EachPage(
      [&](const std::string& token) { return program.client().management().ListQueues(token); },
      [&](const v1::ListQueuesResponse& page) { return AddAll(list, page.queues(), page); });
  if (!listed.ok()) return program.Fail(listed);
  list.End();
  return ExitCode::kOk;
}

CLI::App& AddQueueVerb(CLI::App& noun, const std::string& verb, const std::string& help,
                       const std::shared_ptr<QueueOptions>& options) {
  CLI::App& command = *noun.add_subcommand(verb, help);
  command.add_option("NAME", options->name, "The queue's path, e.g. orders or site1/orders")
      ->required();
  return command;
}

void AddQueueCreate(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<QueueOptions>();
  CLI::App& command = AddQueueVerb(noun, "create", "Create a queue", options);
  AddIfNotExistsFlag(command, options->accepts_existing);
  AddQueuePropertyOptions(command, /*is_creation=*/true, options->given);
  AddRetryOptions(command, options->retry);
  command.callback([options, &program] {
    program.action = [=, &program] { return Create(program, *options); };
  });
}

void AddQueueUpdate(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<QueueOptions>();
  CLI::App& command =
      AddQueueVerb(noun, "update",
                   "Change properties of a queue; those that are not given stay as they "
                   "are",
                   options);
  AddQueuePropertyOptions(command, /*is_creation=*/false, options->given);
  AddRetryOptions(command, options->retry);
  command.add_flag("--reset", options->starts_from_defaults,
                   "Properties that are not given return to their defaults, but for those fixed "
                   "at creation");
  command.callback([options, &program] {
    program.action = [=, &program] { return Update(program, *options); };
  });
}

void AddShow(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<QueueOptions>();
  CLI::App& command = AddQueueVerb(noun, "show", "Show a queue's properties and counters", options);
  command.callback(
      [options, &program] { program.action = [=, &program] { return Show(program, *options); }; });
}

void AddQueueList(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<ListOptions>();
  CLI::App& command = *noun.add_subcommand("list", "List queues with what they hold");
  AddListOptions(command, kQueueListShape, *options);
  command.callback([options, &program] {
    program.action = [options, &program] { return ListQueues(program, *options); };
  });
}

void AddDelete(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<QueueOptions>();
  CLI::App& command = AddQueueVerb(
      noun, "delete", "Delete a queue with its messages and dead-letter queue", options);
  AddYesOption(command, options->is_sure);
  command.callback([options, &program] {
    program.action = [=, &program] { return AskAndDelete(program, *options); };
  });
}

}  // namespace

void AddQueueCommand(CLI::App& app, Program& program) {
  CLI::App& noun = *app.add_subcommand("queue", "Create, update, show, list and delete queues");
  noun.require_subcommand(1);
  noun.fallthrough();
  AddQueueCreate(noun, program);
  AddQueueUpdate(noun, program);
  AddShow(noun, program);
  AddQueueList(noun, program);
  AddDelete(noun, program);
}

}  // namespace wharf::tool
