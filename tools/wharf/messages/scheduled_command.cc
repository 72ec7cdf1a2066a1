#include "tools/wharf/messages/scheduled_command.h"

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/core.h>

#include "tools/wharf/messages/message_table.h"
#include "tools/wharf/text/field_text.h"
#include "tools/wharf/text/moment.h"
#include "tools/wharf/text/number_list.h"
#include "tools/wharf/text/number_option.h"

namespace wharf::tool {
namespace {

constexpr std::uint64_t kScheduledPageMax = 250;

struct ScheduledOptions {
  std::string queue;
  Numbers numbers;
  std::optional<Moment> time;
  std::uint64_t messages_max = 0;
  TimeDigits digits = TimeDigits::kToTheSecond;
};

ExitCode List(Program& program, const ScheduledOptions& options) {
  MessageTable table(program,
                     {.time = MessageTableStyle::Time::kScheduled, .digits = options.digits});
  v1::ListScheduledMessagesRequest request;
  request.set_entity_path(options.queue);
  std::uint64_t left = options.messages_max;
  do {
    const std::uint64_t wanted = left == 0 ? kScheduledPageMax : std::min(left, kScheduledPageMax);
    request.set_page_size(static_cast<std::uint32_t>(wanted));
    const auto page = program.client().ListScheduledMessages(request);
    if (!page.ok()) return program.Fail(page.status());
    for (const v1::ReceivedMessage& message : page->messages()) table.Print(message);
    const auto count = static_cast<std::uint64_t>(page->messages_size());
    if (left > 0 && left <= count) break;
    if (left > 0) left -= count;
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty() && !program.out.is_broken());
  table.End();
  return ExitCode::kOk;
}

ExitCode Cancel(Program& program, const ScheduledOptions& options) {
  v1::CancelScheduledMessagesRequest request;
  request.set_entity_path(options.queue);
  *request.mutable_sequence_numbers() = options.numbers;
  const auto done = program.client().CancelScheduledMessages(request);
  return done.ok() ? PrintDone(program, "cancelled", options.numbers.size())
                   : program.Fail(done.status());
}

ExitCode Move(Program& program, const ScheduledOptions& options) {
  const auto time = Resolve(program, *options.time);
  if (!time.ok()) return program.Fail(time.status());
  v1::RescheduleMessagesRequest request;
  request.set_entity_path(options.queue);
  *request.mutable_sequence_numbers() = options.numbers;
  *request.mutable_scheduled_enqueue_time() = *time;
  const auto done = program.client().RescheduleMessages(request);
  return done.ok() ? PrintDone(program, "moved", options.numbers.size())
                   : program.Fail(done.status());
}

ExitCode Activate(Program& program, const ScheduledOptions& options) {
  v1::ActivateScheduledMessagesRequest request;
  request.set_entity_path(options.queue);
  *request.mutable_sequence_numbers() = options.numbers;
  const auto activated = program.client().ActivateScheduledMessages(request);
  if (!activated.ok()) return program.Fail(activated.status());
  if (program.is_json) {
    program.out.PrintJson(FieldsToJson(*activated));
  } else {
    for (const std::int64_t number : activated->sequence_numbers())
      program.out.Print("{}\n", number);
  }
  return ExitCode::kOk;
}

CLI::App& AddScheduledVerb(CLI::App& noun, Program& program, const std::string& verb,
                           const std::string& help,
                           const std::shared_ptr<ScheduledOptions>& options,
                           ExitCode (*run)(Program&, const ScheduledOptions&)) {
  CLI::App& command = *noun.add_subcommand(verb, help);
  AddTargetArgument(command, options->queue);
  command.callback([options, run, &program] {
    program.action = [options, run, &program] { return run(program, *options); };
  });
  return command;
}

void AddNumbers(CLI::App& command, const std::shared_ptr<ScheduledOptions>& options) {
  AddNumbersOption(command, "NUMBER", options->numbers,
                   "Their numbers, as send and scheduled list print them: 7 8 or 7,8")
      ->required();
}

void AddList(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<ScheduledOptions>();
  CLI::App& command = AddScheduledVerb(
      noun, program, "list", "List scheduled messages in the order of their times", options, List);
  AddNumberOption(command, "--max,-n", options->messages_max,
                  "At most so many messages; 0 for all");
  AddPreciseFlag(command, options->digits);
}

void AddCancel(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<ScheduledOptions>();
  AddNumbers(
      AddScheduledVerb(noun, program, "cancel",
                       "Delete scheduled messages before their time: all that are named, or none",
                       options, Cancel),
      options);
}

void AddMove(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<ScheduledOptions>();
  CLI::App& command = AddScheduledVerb(
      noun, program, "move",
      "Give scheduled messages another time, all that are named or none; they keep their "
      "numbers",
      options, Move);
  AddNumbers(command, options);
  AddMomentOption(command, "--at", options->time,
                  "The new time: 2026-01-31T12:00:00Z, or +1h30m from now; one that is over "
                  "enqueues them at once")
      ->required();
}

void AddActivate(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<ScheduledOptions>();
  AddNumbers(AddScheduledVerb(
                 noun, program, "activate",
                 "Enqueue scheduled messages now, all that are named or none; prints their new "
                 "numbers",
                 options, Activate),
             options);
}

}  // namespace

void AddScheduledCommand(CLI::App& app, Program& program) {
  CLI::App& noun = *app.add_subcommand("scheduled",
                                       "List, cancel, move and activate messages that wait for "
                                       "their time");
  noun.require_subcommand(1);
  noun.fallthrough();
  AddList(noun, program);
  AddCancel(noun, program);
  AddMove(noun, program);
  AddActivate(noun, program);
}

}  // namespace wharf::tool
