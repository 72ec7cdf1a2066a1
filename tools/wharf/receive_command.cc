#include "tools/wharf/receive_command.h"

#include <memory>
#include <mutex>
#include <optional>

#include <fmt/core.h>

#include "tools/client/session_keeper.h"
#include "tools/wharf/interrupt_watcher.h"
#include "tools/wharf/message_printer.h"
#include "tools/wharf/receive_by_number.h"
#include "tools/wharf/receive_session_options.h"
#include "tools/wharf/settlement_verb.h"

namespace wharf::tool {
namespace {

constexpr std::uint32_t kPrefetchMessages = 512;
constexpr std::uint64_t kPrefetchBytes = 64 << 20;

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

PrintStyle StyleOf(const Program& program, const ReceiveOptions& options) {
  return {.is_json = program.is_json,
          .is_raw = options.is_raw,
          .shows_tokens = !options.verb.has_value()};
}

// One run of `wharf receive`: gets, prints, and settles what was printed.
class ReceiveRun {
 public:
  ReceiveRun(Program& program, const ReceiveOptions& options)
      : program_(program),
        options_(options),
        printer_(program.out, StyleOf(program, options)),
        keeper_(program.client().sessions(), options.path()),
        receiver_(program.client().CreateReceiver(
            options.path(),
            {.mode = options.mode,
             .prefetch_messages = kPrefetchMessages,
             .prefetch_bytes = kPrefetchBytes,
             .messages_max = options.messages_max,
             .session = ToSessionOption(options.session, Patience())},
            nullptr,
            {.on_accepted = [this](client::Receiver&,
                                   const v1::AcceptedSession& session) { keeper_.Keep(session); },
             .on_ended = [this](client::Receiver&,
                                const v1::SessionEnded& session) { OnEnded(session); }})) {}

  ExitCode Run() {
    InterruptWatcher watcher([this] {
      is_interrupted_ = true;
      receiver_->Interrupt();
    });
    const Status received = AcceptAndReceive();
    const Status flushed = receiver_->Flush();
    if (!received.ok()) return program_.Fail(received);
    if (!flushed.ok()) return program_.Fail(flushed);
    return Verdict();
  }

 private:
  Duration Patience() const { return options_.follows ? kUnlimited : options_.wait; }

  // The wait for messages begins when there is a session.
  Status AcceptAndReceive() {
    if (options_.session.id || options_.session.is_next) {
      const Result<v1::AcceptedSession> session = receiver_->WaitForSession();
      if (!session.ok()) return is_interrupted_ ? Status::Ok() : session.status();
    }
    return ReceiveAll();
  }

  Status ReceiveAll() {
    while (true) {
      Result<std::size_t> count = Take(Patience());
      if (!count.ok()) return count.status();
      if (IsEnough()) return options_.messages_max == received_ ? Status::Ok() : TakeTheRest();
      if (*count > 0) continue;
      const std::uint64_t before = received_;
      WHARF_RETURN_IF_ERROR(TakeTheRest());
      if (received_ == before || IsEnough()) return Status::Ok();
      receiver_->Resume();
    }
  }

  bool IsEnough() const {
    return is_interrupted_ || cannot_print_ ||
           (options_.messages_max != 0 && received_ >= options_.messages_max);
  }

  // What was on its way is ours: otherwise it would stay locked without anyone having seen it.
  Status TakeTheRest() {
    const Result<std::uint32_t> drained = receiver_->Drain();
    if (!drained.ok()) return drained.status();
    while (true) {
      Result<std::size_t> count = Take(Duration(0));
      if (!count.ok()) return count.status();
      if (*count == 0) return Status::Ok();
    }
  }

  // Gets some messages, prints and settles them; how many.
  Result<std::size_t> Take(Duration patience) {
    const auto messages = receiver_->Receive(kPrefetchMessages, patience);
    if (!messages.ok()) return messages.status();
    if (messages->empty()) return std::size_t{0};
    received_ += messages->size();
    // Settled only when it is out: whoever reads us must not lose a message to a broken pipe.
    if (!printer_.Print(*messages)) cannot_print_ = true;
    Settle(*messages);
    return messages->size();
  }

  void Settle(const std::vector<v1::ReceivedMessage>& messages) {
    if (options_.mode != v1::RECEIVE_MODE_PEEK_LOCK) return;
    if (!options_.verb.has_value() && !cannot_print_) return;
    v1::Settlement settlement = cannot_print_ ? MakeSettlement(Verb::kRelease)
                                              : MakeSettlement(*options_.verb, options_.details);
    for (const v1::ReceivedMessage& message : messages) {
      settlement.add_lock_tokens(message.lock_token());
    }
    receiver_->Settle(std::move(settlement),
                      [this](const Result<client::SettleReceipt>& receipt) { OnSettled(receipt); });
  }

  // On a thread of gRPC.
  void OnEnded(const v1::SessionEnded& session) {
    keeper_.Forget(session.session_lock_token());
    if (session.has_error()) program_.PrintError(client::ToStatus(session.error()));
  }

  // On a thread of gRPC; read after Flush.
  void OnSettled(const Result<client::SettleReceipt>& receipt) {
    const std::lock_guard lock(mutex_);
    if (!receipt.ok()) {
      failed_ = true;
      is_unknown_ = is_unknown_ || receipt.status().outcome() == Outcome::kUnknown;
      return program_.PrintError(receipt.status());
    }
    for (const v1::TokenResult& failure : receipt->failures) {
      failed_ = true;
      program_.PrintError(client::ToStatus(failure.error()));
    }
  }

  ExitCode Verdict() {
    const std::lock_guard lock(mutex_);
    if (is_unknown_) return ExitCode::kUnknown;
    if (cannot_print_) {
      program_.err.Print("wharf: the output cannot be written; its last messages were released\n");
      return ExitCode::kFailed;
    }
    if (failed_) return ExitCode::kFailed;
    return received_ < options_.expected ? ExitCode::kTooFew : ExitCode::kOk;
  }

  Program& program_;
  const ReceiveOptions& options_;
  MessagePrinter printer_;
  client::SessionKeeper keeper_;
  std::atomic<bool> is_interrupted_ = false;
  std::uint64_t received_ = 0;
  bool cannot_print_ = false;
  std::mutex mutex_;
  // Guarded by mutex_.
  bool failed_ = false;
  bool is_unknown_ = false;
  // Last: its callbacks use the rest.
  const std::unique_ptr<client::Receiver> receiver_;
};

ExitCode Receive(Program& program, ReceiveOptions& options) {
  const Status resolved = ResolveRest(program, options.until, options.details);
  if (!resolved.ok()) return program.Fail(resolved);
  if (options.deferred.empty() && !options.number) return ReceiveRun(program, options).Run();
  return ReceiveByNumber(program, {.path = options.path(),
                                   .deferred = options.deferred,
                                   .number = options.number,
                                   .session_token = options.session.token,
                                   .mode = options.mode,
                                   .verb = options.verb,
                                   .details = options.details,
                                   .style = StyleOf(program, options)});
}

void AddVerbOptions(CLI::App& command, const std::shared_ptr<ReceiveOptions>& options) {
  std::map<std::string, std::optional<Verb>> verbs(VerbsByName().begin(), VerbsByName().end());
  verbs.emplace("none", std::nullopt);
  command
      .add_option_function<std::string>(
          "--settle", [options, verbs](const std::string& name) { options->verb = verbs.at(name); },
          "What happens to a message once it is printed: complete, abandon, defer, dead-letter, "
          "release, or none to leave it locked and print its lock token for wharf settle")
      ->check(CLI::IsMember(verbs))
      ->type_name("VERB")
      ->default_str("complete");
  AddReasonOptions(command, "With --settle dead-letter: ", options->details);
  AddRestOptions(command, "With --settle abandon: ", options->details, options->until);
}

// Instead of whatever comes next; the options that concern that were added before.
void AddNumberOptions(CLI::App& command, ReceiveOptions& options) {
  CLI::Option* deferred =
      AddNumbersOption(command, "--deferred", options.deferred,
                       "Deferred messages of these numbers, 7,8,9: all of them, or none");
  CLI::Option* number = command
                            .add_option("--number", options.number,
                                        "The message of this number, out of order; it must wait, "
                                        "or rest after an abandon")
                            ->check(CLI::NonNegativeNumber)
                            ->excludes(deferred);
  for (const char* other : {"--max", "--wait", "--follow", "--expect", "--session",
                            "--next-session", "--all-sessions"}) {
    deferred->excludes(command.get_option(other));
    number->excludes(command.get_option(other));
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
  command.add_option("QUEUE", options->queue, "The queue's path")->required();
  command.add_flag("--dead-letter", options->is_dead_letter, "From its dead-letter queue");
  command
      .add_option_function<std::string>(
          "--mode", [options, modes](const std::string& name) { options->mode = modes.at(name); },
          "peek-lock: lock, print, settle; receive-and-delete: gone once sent to us, lost if we "
          "break")
      ->check(CLI::IsMember(modes))
      ->type_name("MODE")
      ->default_str("peek-lock");
  AddVerbOptions(command, options);
  auto* max =
      command.add_option("--max,-n", options->messages_max,
                         "At most so many messages; 0 for all. Default 1, with --follow all");
  AddDurationOption(command, "--wait", options->wait,
                    "How long to wait for the next message; 0s: only what is there now");
  command.add_flag("--raw", options->is_raw,
                   "Print bodies exactly as they are, without a line feed behind each; for files: "
                   "receive orders --raw > FILE");
  command.add_flag("--follow,-f", options->follows, "Go on until interrupted by Ctrl-C");
  command.add_option("--expect", options->expected,
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
      "message), then settle them");
  const CLI::Option* max = AddOptions(command, options);
  command.callback([options, max, &program] {
    if (options->follows && max->count() == 0) options->messages_max = 0;
    CheckDetails(options->verb, options->details, options->until);
    CheckSession(*options);
    program.action = [options, &program] { return Receive(program, *options); };
  });
}

}  // namespace wharf::tool
