#include "tools/wharf/messages/peek_command.h"

#include <memory>

#include "tools/wharf/messages/message_table.h"
#include "tools/wharf/messages/peek_choice.h"
#include "tools/wharf/text/number_option.h"

namespace wharf::tool {
namespace {

struct PeekOptions {
  std::string queue;
  bool is_dead_letter = false;
  v1::PeekRequest request;
  std::uint64_t messages_max = 10;
  std::uint64_t expected = 0;
  TimeDigits digits = TimeDigits::kToTheSecond;
};

ExitCode Peek(Program& program, PeekOptions& options) {
  options.request.set_entity_path(options.is_dead_letter ? DeadLetterPath(options.queue)
                                                         : options.queue);
  MessageTable table(program, {.has_reason = IsDeadLetterPath(options.request.entity_path()),
                               .digits = options.digits});
  const auto count = PeekPages(program, options.request, options.messages_max, table);
  if (!count.ok()) return program.Fail(count.status());
  return *count < options.expected ? ExitCode::kTooFew : ExitCode::kOk;
}

}  // namespace

void AddPeekCommand(CLI::App& app, Program& program) {
  const auto options = std::make_shared<PeekOptions>();
  CLI::App& command = *app.add_subcommand("peek",
                                          "Look at messages of every state, in the order of their "
                                          "numbers, without locking; bodies over "
                                          "1 MiB are not shown");
  AddSourceArgument(command, options->queue);
  command.add_flag("--dead-letter", options->is_dead_letter, "In its dead-letter queue");
  AddPeekChoice(command, options->request);
  AddNumberOption(command, "--max,-n", options->messages_max,
                  "At most so many messages; 0 for all");
  AddNumberOption(command, "--expect", options->expected,
                  "Exit with code 4 if there are fewer messages than this");
  AddPreciseFlag(command, options->digits);
  command.callback([options, &program] {
    program.action = [options, &program] { return Peek(program, *options); };
  });
}

}  // namespace wharf::tool
