#include "tools/wharf/messages/message_command.h"

#include <memory>

#include <fmt/core.h>

#include "tools/wharf/messages/export_command.h"
#include "tools/wharf/messages/message_options.h"
#include "tools/wharf/receiving/settlement_verb.h"
#include "tools/wharf/text/number_option.h"

namespace wharf::tool {
namespace {

struct MessageOptions {
  std::string queue;
  bool is_dead_letter = false;
  v1::SettleBySequenceNumberRequest request;
  VerbDetails details;
};

ExitCode Settle(Program& program, MessageOptions& options) {
  options.request.set_entity_path(options.is_dead_letter ? DeadLetterPath(options.queue)
                                                         : options.queue);
  const auto done = program.client().SettleBySequenceNumber(options.request);
  if (!done.ok()) return program.Fail(done.status());
  const std::int64_t number = options.request.sequence_number();
  if (program.is_json) {
    program.out.PrintJson({{"sequence_number", number}});
  } else {
    program.out.Print("{}  done\n", number);
  }
  return ExitCode::kOk;
}

CLI::App& AddMessageVerb(CLI::App& noun, const std::string& verb, const std::string& help,
                         const std::shared_ptr<MessageOptions>& options) {
  CLI::App& command = *noun.add_subcommand(verb, help);
  AddSourceArgument(command, options->queue);
  const auto take = [options](std::uint64_t number) {
    options->request.set_sequence_number(static_cast<std::int64_t>(number));
  };
  AddNumberFunction(command, "NUMBER", take, "Its sequence number, as peek prints it",
                    RangeOf<std::int64_t>())
      ->required();
  return command;
}

void AddComplete(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<MessageOptions>();
  CLI::App& command = AddMessageVerb(noun, "complete", "Remove it for good", options);
  command.add_flag("--dead-letter", options->is_dead_letter, "In the queue's dead-letter queue");
  command.callback([options, &program] {
    options->request.mutable_complete();
    program.action = [options, &program] { return Settle(program, *options); };
  });
}

void AddDeadLetter(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<MessageOptions>();
  CLI::App& command =
      AddMessageVerb(noun, "dead-letter", "Put it into the dead-letter queue", options);
  AddReasonOptions(command, "", options->details);
  AddPropertyOption(command, "An application property to set; repeatable",
                    options->details.properties_to_modify);
  command.callback([options, &program] {
    *options->request.mutable_dead_letter() = MakeDeadLetter(options->details);
    program.action = [options, &program] { return Settle(program, *options); };
  });
}

}  // namespace

void AddMessageCommand(CLI::App& app, Program& program) {
  CLI::App& noun = *app.add_subcommand(
      "message",
      "Complete or dead-letter one message that nobody has locked, or export one that cannot be "
      "read, by its number");
  noun.require_subcommand(1);
  noun.fallthrough();
  AddComplete(noun, program);
  AddDeadLetter(noun, program);
  AddExportCommand(noun, program);
}

}  // namespace wharf::tool
