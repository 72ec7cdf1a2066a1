#include "tools/wharf/receiving/receive_command.h"

#include <memory>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "tools/wharf/entities/entity_argument.h"
#include "tools/wharf/receiving/receive_by_number.h"
#include "tools/wharf/receiving/receive_run.h"
#include "tools/wharf/text/choice_option.h"
#include "tools/wharf/text/number_option.h"
#include "tools/wharf/text/utf8.h"

namespace wharf::tool {
namespace {

struct ReceiveOptions {
  std::string queue;
  bool is_dead_letter = false;
  v1::ReceiveMode mode = v1::RECEIVE_MODE_PEEK_LOCK;
  // None: the messages stay locked, for `wharf settle`.
  std::optional<Verb> verb = Verb::kComplete;
  VerbDetails details;
  std::optional<Moment> until;
  Numbers deferred;
  std::optional<std::int64_t> number;
  GivenSession session;
  std::uint64_t messages_max = 1;
  Duration wait = std::chrono::seconds(1);
  bool follows = false;
  bool is_raw = false;
  std::uint64_t expected = 0;

  std::string path() const { return is_dead_letter ? DeadLetterPath(queue) : queue; }
};

HandoverOptions ToHandoverOptions(const Program& program, const ReceiveOptions& options) {
  return {.style = {.is_json = program.is_json,
                    .is_raw = options.is_raw,
                    .shows_tokens = !options.verb.has_value(),
                    .is_terminal = program.out.is_terminal()},
          .mode = options.mode,
          .verb = options.verb,
          .details = options.details};
}

ExitCode Receive(Program& program, ReceiveOptions& options) {
  const Status resolved = ResolveRest(program, options.until, options.details);
  if (!resolved.ok()) return program.Fail(resolved);
  HandoverOptions handover = ToHandoverOptions(program, options);
  if (!options.deferred.empty() || options.number) {
    return ReceiveByNumber(program, {.path = options.path(),
                                     .deferred = options.deferred,
                                     .number = options.number,
                                     .session_token = options.session.token,
                                     .handover = std::move(handover)});
  }
  return RunReceive(program, {.path = options.path(),
                              .handover = std::move(handover),
                              .session = options.session,
                              .messages_max = options.messages_max,
                              .wait = options.wait,
                              .follows = options.follows,
                              .expected = options.expected});
}

void AddVerbOptions(CLI::App& command, const std::shared_ptr<ReceiveOptions>& options) {
  std::map<std::string, std::optional<Verb>> verbs(VerbsByName().begin(), VerbsByName().end());
  verbs.emplace("none", std::nullopt);
  AddChoiceOption(command, "--settle", verbs, options->verb,
                  "What happens to a message once the reader of our output has taken it: complete, "
                  "defer, dead-letter; abandon or release, at the end of the run, so that none "
                  "comes twice; or none to leave it locked and print its lock token for wharf "
                  "settle")
      ->default_str("complete");
  AddReasonOptions(command, "With --settle dead-letter: ", options->details);
  AddRestOptions(command, "With --settle abandon: ", options->details, options->until);
}

// Instead of whatever comes next; the options that concern that were added before.
void AddNumberOptions(CLI::App& command, ReceiveOptions& options) {
  CLI::Option* deferred =
      AddNumbersOption(command, "--deferred", options.deferred,
                       "Deferred messages of these numbers, 7,8,9: all of them, or none");
  CLI::Option* number = AddNumberOption(command, "--number", options.number,
                                        "The message of this number, out of order; it must wait, "
                                        "or rest after an abandon")
                            ->excludes(deferred);
  for (const char* other : {"--max", "--wait", "--follow", "--expect", "--session",
                            "--next-session", "--all-sessions"}) {
    deferred->excludes(command.get_option(other));
    number->excludes(command.get_option(other));
  }
}

// Options that say two things at once.
void CheckContradictions(const CLI::App& command, const Program& program,
                         const ReceiveOptions& options) {
  if (options.is_raw && program.is_json) {
    throw CLI::ValidationError(
        "--raw prints the body alone and --json the whole message: give one");
  }
  if (options.follows && command.count("--wait") > 0) {
    throw CLI::ValidationError("--follow waits until it is interrupted: leave out --wait");
  }
  if (options.messages_max != 0 && options.expected > options.messages_max) {
    throw CLI::ValidationError(fmt::format("--expect {} cannot come true with --max {}",
                                           options.expected, options.messages_max));
  }
  if (options.mode == v1::RECEIVE_MODE_PEEK_LOCK) return;
  for (const char* other : {"--settle", "--reason", "--description", "--delay", "--until"}) {
    if (command.count(other) == 0) continue;
    throw CLI::ValidationError(
        fmt::format("--mode receive-and-delete leaves nothing to settle: leave out {}", other));
  }
}

void CheckSession(const ReceiveOptions& options) {
  if (options.session.is_many && options.wait == Duration(0) && !options.follows) {
    throw CLI::ValidationError(
        "--all-sessions accepts sessions while it waits: with --wait 0s there would be none");
  }
  // The locks of a session that we accept end with us.
  if (options.verb || options.mode != v1::RECEIVE_MODE_PEEK_LOCK) return;
  if (!options.session.is_accepted()) return;
  throw CLI::ValidationError(
      "--settle none needs a session that stays locked: accept it with wharf session accept, and "
      "give --session-token");
}

// Returns --max.
CLI::Option* AddOptions(CLI::App& command, const std::shared_ptr<ReceiveOptions>& options) {
  const std::map<std::string, v1::ReceiveMode> modes = {
      {"peek-lock", v1::RECEIVE_MODE_PEEK_LOCK},
      {"receive-and-delete", v1::RECEIVE_MODE_RECEIVE_AND_DELETE}};
  AddSourceArgument(command, options->queue)->check(CheckUtf8);
  AddDeadLetterFlag(command, options->is_dead_letter, "From its dead-letter queue");
  AddChoiceOption(
      command, "--mode", modes, options->mode,
      "peek-lock: lock, print, settle; receive-and-delete: gone once sent to us, lost if "
      "we, or the reader of our output, break; leaves nothing to settle")
      ->default_str("peek-lock");
  AddVerbOptions(command, options);
  auto* max = AddNumberOption(command, "--max,-n", options->messages_max,
                              "At most so many messages; 0 for all. With --follow all by default");
  AddDurationOption(command, "--wait", options->wait,
                    "How long to wait for the next message; 0s: only what is there now");
  command.add_flag("--raw", options->is_raw,
                   "Print bodies exactly as they are, without a line feed behind each; for files: "
                   "receive orders --raw > FILE");
  command.add_flag("--follow,-f", options->follows,
                   "Go on until interrupted by Ctrl-C, also after a restart of the broker");
  AddNumberOption(command, "--expect", options->expected,
                  "Exit with code 4 if fewer messages than this came");
  AddSessionOptions(command, options->session);
  AddNumberOptions(command, *options);
  return max;
}

}  // namespace

void AddReceiveCommand(CLI::App& app, Program& program) {
  const auto options = std::make_shared<ReceiveOptions>();
  CLI::App& command = *app.add_subcommand(
      "receive",
      "Get messages from a queue, print them (the body and a line feed, or with --json the whole "
      "message; on a terminal also the number and the properties), then settle them. To a pipe "
      "goes "
      "one message at first, and more as its reader keeps up: a message is settled when the reader "
      "has taken it, and locked for us until then; what it did not take is released");
  const CLI::Option* max = AddOptions(command, options);
  command.callback([options, max, &command, &program] {
    if (options->follows && max->count() == 0) options->messages_max = 0;
    CheckContradictions(command, program, *options);
    CheckDetails(options->verb, options->details, options->until);
    CheckSession(*options);
    program.action = [options, &program] { return Receive(program, *options); };
  });
}

}  // namespace wharf::tool
