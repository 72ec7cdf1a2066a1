#include "tools/wharf/jobs/delete_messages_command.h"

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/core.h>

#include "tools/wharf/terminal/consent.h"
#include "tools/wharf/terminal/progress_bar.h"
#include "tools/wharf/text/moment.h"
#include "tools/wharf/text/number_option.h"

namespace wharf::tool {
namespace {

constexpr std::uint64_t kPerRequestMax = 4000;

struct DeleteOldestOptions {
  std::string queue;
  bool is_dead_letter = false;
  std::uint64_t messages_max = 0;
  std::optional<Moment> before;
  bool is_sure = false;

  std::string path() const { return is_dead_letter ? DeadLetterPath(queue) : queue; }
};

// As many requests as it takes, until one finds nothing; how many were deleted.
Result<std::uint64_t> DeleteAll(Program& program, v1::DeleteMessagesRequest request,
                                std::uint64_t messages_max) {
  const bool is_limited = messages_max > 0;
  ProgressBar progress(is_limited ? std::optional(messages_max) : std::nullopt, "deleting");
  std::uint64_t count = 0;
  while (!is_limited || count < messages_max) {
    const std::uint64_t wanted = is_limited ? messages_max - count : kPerRequestMax;
    request.set_max_messages(static_cast<std::uint32_t>(std::min(wanted, kPerRequestMax)));
    const auto deleted = program.client().DeleteMessages(request);
    if (!deleted.ok()) return deleted.status();
    if (deleted->deleted_count() == 0) break;
    count += static_cast<std::uint64_t>(deleted->deleted_count());
    progress.Update(count);
  }
  return count;
}

ExitCode DeleteOldest(Program& program, const DeleteOldestOptions& options) {
  v1::DeleteMessagesRequest request;
  request.set_entity_path(options.path());
  if (options.before) {
    const auto before = Resolve(program, *options.before);
    if (!before.ok()) return program.Fail(before.status());
    *request.mutable_enqueued_before() = *before;
  }
  const auto deleted = DeleteAll(program, request, options.messages_max);
  return deleted.ok() ? PrintDone(program, "deleted", static_cast<std::int64_t>(*deleted))
                      : program.Fail(deleted.status());
}

// A number is a decision; "all" may be a slip.
ExitCode AskAndDeleteOldest(Program& program, const DeleteOldestOptions& options) {
  const auto question = [&]() -> Result<std::string> {
    const auto messages = MessagesIn(program, options.path());
    if (!messages.ok()) return messages.status();
    return fmt::format("delete what waits in {}, which holds {}?", options.path(), *messages);
  };
  const bool is_sure = options.is_sure || options.messages_max > 0;
  return WithConsent(program, is_sure, question, [&] { return DeleteOldest(program, options); });
}

}  // namespace

void AddDeleteMessagesCommand(CLI::App& app, Program& program) {
  const auto options = std::make_shared<DeleteOldestOptions>();
  CLI::App& command = *app.add_subcommand(
      "delete-messages",
      "Delete the oldest messages that wait; locked, deferred and scheduled ones stay");
  AddSourceArgument(command, options->queue);
  command.add_flag("--dead-letter", options->is_dead_letter, "In its dead-letter queue");
  AddNumberOption(command, "--max,-n", options->messages_max, "At most so many messages; 0 for all")
      ->required();
  AddYesOption(command, options->is_sure);
  AddMomentOption(command, "--before", options->before,
                  "Only those that were enqueued before: 2026-01-31T12:00:00Z, or, with an equals "
                  "sign, --before=-1h from now");
  command.callback([options, &program] {
    program.action = [options, &program] { return AskAndDeleteOldest(program, *options); };
  });
}

}  // namespace wharf::tool
