#include "tools/wharf/delete_messages_command.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "tools/wharf/moment.h"

namespace wharf::tool {
namespace {

constexpr std::uint64_t kPerRequestMax = 4000;

struct DeleteOptions {
  std::string queue;
  bool is_dead_letter = false;
  std::uint64_t messages_max = 0;
  std::optional<Moment> before;
};

// As many requests as it takes, until one finds nothing.
ExitCode Delete(Program& program, const DeleteOptions& options) {
  v1::DeleteMessagesRequest request;
  request.set_entity_path(options.is_dead_letter ? DeadLetterPath(options.queue) : options.queue);
  if (options.before) {
    const auto before = Resolve(program, *options.before);
    if (!before.ok()) return program.Fail(before.status());
    *request.mutable_enqueued_before() = *before;
  }
  std::uint64_t count = 0;
  while (options.messages_max == 0 || count < options.messages_max) {
    const std::uint64_t wanted =
        options.messages_max == 0 ? kPerRequestMax : options.messages_max - count;
    request.set_max_messages(static_cast<std::uint32_t>(std::min(wanted, kPerRequestMax)));
    const auto deleted = program.client().DeleteMessages(request);
    if (!deleted.ok()) return program.Fail(deleted.status());
    if (deleted->deleted_count() == 0) break;
    count += static_cast<std::uint64_t>(deleted->deleted_count());
  }
  return PrintDone(program, "deleted", static_cast<std::int64_t>(count));
}

}  // namespace

void AddDeleteMessagesCommand(CLI::App& app, Program& program) {
  const auto options = std::make_shared<DeleteOptions>();
  CLI::App& command = *app.add_subcommand(
      "delete-messages",
      "Delete the oldest messages that wait; locked, deferred and scheduled ones stay");
  command.add_option("QUEUE", options->queue, "The queue's path")->required();
  command.add_flag("--dead-letter", options->is_dead_letter, "In its dead-letter queue");
  command.add_option("--max,-n", options->messages_max, "At most so many messages; 0 for all")
      ->required();
  AddMomentOption(command, "--before", options->before,
                  "Only those that were enqueued before: 2026-01-31T12:00:00Z, or, with an equals "
                  "sign, --before=-1h from now");
  command.callback([options, &program] {
    program.action = [options, &program] { return Delete(program, *options); };
  });
}

}  // namespace wharf::tool
