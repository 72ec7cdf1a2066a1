#include "tools/wharf/receiving/deferred_command.h"

#include <memory>

#include "tools/wharf/messages/message_table.h"
#include "tools/wharf/text/number_list.h"
#include "tools/wharf/text/number_option.h"

namespace wharf::tool {
namespace {

struct DeferredOptions {
  std::string queue;
  bool is_dead_letter = false;
  Numbers numbers;
  std::uint64_t messages_max = 0;
  TimeDigits digits = TimeDigits::kToTheSecond;

  std::string path() const { return is_dead_letter ? DeadLetterPath(queue) : queue; }
};

ExitCode List(Program& program, const DeferredOptions& options) {
  v1::PeekRequest request;
  request.set_entity_path(options.path());
  request.set_filter(v1::PEEK_FILTER_DEFERRED);
  MessageTable table(program,
                     {.has_reason = IsDeadLetterPath(options.path()), .digits = options.digits});
  const auto count = PeekPages(program, request, options.messages_max, table);
  return count.ok() ? ExitCode::kOk : program.Fail(count.status());
}

ExitCode Undefer(Program& program, const DeferredOptions& options) {
  v1::UndeferMessagesRequest request;
  request.set_entity_path(options.path());
  *request.mutable_sequence_numbers() = options.numbers;
  const auto done = program.client().UndeferMessages(request);
  return done.ok() ? PrintDone(program, "undeferred", options.numbers.size())
                   : program.Fail(done.status());
}

CLI::App& AddDeferredVerb(CLI::App& noun, Program& program, const std::string& verb,
                          const std::string& help, const std::shared_ptr<DeferredOptions>& options,
                          ExitCode (*run)(Program&, const DeferredOptions&)) {
  CLI::App& command = *noun.add_subcommand(verb, help);
  AddSourceArgument(command, options->queue);
  command.add_flag("--dead-letter", options->is_dead_letter, "In its dead-letter queue");
  command.callback([options, run, &program] {
    program.action = [options, run, &program] { return run(program, *options); };
  });
  return command;
}

void AddList(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<DeferredOptions>();
  CLI::App& command = AddDeferredVerb(
      noun, program, "list", "List deferred messages in the order of their numbers", options, List);
  AddNumberOption(command, "--max,-n", options->messages_max,
                  "At most so many messages; 0 for all");
  AddPreciseFlag(command, options->digits);
}

void AddUndefer(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<DeferredOptions>();
  CLI::App& command = AddDeferredVerb(
      noun, program, "undefer",
      "Make deferred messages available again at their old places, not counted: all that "
      "are named, or none",
      options, Undefer);
  AddNumbersOption(command, "NUMBER", options->numbers,
                   "Their numbers, as deferred list prints them: 7 8 or 7,8")
      ->required();
}

}  // namespace

void AddDeferredCommand(CLI::App& app, Program& program) {
  CLI::App& noun = *app.add_subcommand(
      "deferred",
      "List deferred messages, and make them available again; receive --deferred gets "
      "them");
  noun.require_subcommand(1);
  noun.fallthrough();
  AddList(noun, program);
  AddUndefer(noun, program);
}

}  // namespace wharf::tool
