#include "tools/wharf/send_command.h"

#include <atomic>
#include <cstdio>
#include <iostream>
#include <memory>
#include <mutex>

#include <fmt/core.h>

#include "tools/wharf/message_options.h"
#include "tools/wharf/message_source.h"
#include "tools/wharf/moment.h"
#include "tools/wharf/progress_bar.h"
#include "tools/wharf/token_list.h"

namespace wharf::tool {
namespace {

struct SendOptions {
  std::string queue;
  MessageSource source;
  bool has_lines = false;
  bool has_json_lines = false;
  bool is_quiet = false;
  std::size_t window = 4096;
  v1::Message base;
  std::optional<Moment> scheduled_at;
  // Of the open transaction that shall send them; empty: none.
  std::string transaction;
};

// What became of the messages, printed as the receipts come.
class SendReport {
 public:
  SendReport(Program& program, bool is_quiet) : program_(program), is_quiet_(is_quiet) {}

  // Any thread.
  void Add(std::uint64_t index, const Result<client::SendReceipt>& receipt) {
    const std::lock_guard lock(mutex_);
    if (receipt.ok()) {
      acknowledged_++;
      if (!is_quiet_) PrintReceipt(index, *receipt);
    } else {
      AddError(index, receipt.status());
    }
  }

  bool is_broken() const { return is_broken_; }
  std::uint64_t acknowledged() const { return acknowledged_; }

  // After the last Add.
  ExitCode Finish() const {
    if (failed_ + unknown_ > kErrorsPrintedMax) {
      program_.err.Print("wharf: ... and {} more\n", failed_ + unknown_ - kErrorsPrintedMax);
    }
    if (!is_quiet_ || failed_ + unknown_ > 0) {
      program_.err.Print("{} acknowledged, {} failed, {} unknown\n", acknowledged_.load(), failed_,
                         unknown_);
    }
    if (unknown_ > 0) return ExitCode::kUnknown;
    if (failed_ == 0) return ExitCode::kOk;
    return is_broken_ && acknowledged_ == 0 ? ExitCode::kNotReachable : ExitCode::kFailed;
  }

 private:
  static constexpr std::uint64_t kErrorsPrintedMax = 10;

  void PrintReceipt(std::uint64_t index, const client::SendReceipt& receipt) const {
    if (program_.is_json) {
      const char* key = receipt.is_duplicate ? "duplicate_of" : "sequence_number";
      program_.out.PrintJson({{"index", index}, {key, receipt.sequence_number}});
    } else {
      program_.out.Print("{}{}\n", receipt.is_duplicate ? "duplicate of " : "",
                         receipt.sequence_number);
    }
  }

  void AddError(std::uint64_t index, const Status& status) {
    const bool is_unknown = status.outcome() == Outcome::kUnknown;
    (is_unknown ? unknown_ : failed_)++;
    if (status.code() == ErrorCode::kServiceCommunicationProblem) is_broken_ = true;
    if (program_.is_json) {
      program_.out.PrintJson({{"index", index},
                              {"error", ReasonOf(status.code())},
                              {"message", status.message()},
                              {"outcome", is_unknown ? "unknown" : "not-done"}});
    }
    if (failed_ + unknown_ > kErrorsPrintedMax) return;
    program_.err.Print("wharf: message {}: {}{}\n", index, status.ToString(),
                       is_unknown ? " (outcome unknown)" : "");
  }

  Program& program_;
  const bool is_quiet_;
  std::atomic<bool> is_broken_ = false;
  std::atomic<std::uint64_t> acknowledged_ = 0;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::uint64_t failed_ = 0;
  std::uint64_t unknown_ = 0;
};

std::optional<std::uint64_t> TotalOf(const MessageSource& source) {
  if (source.unit != MessageSource::Unit::kFile) return std::nullopt;
  return source.bodies.size() + source.files.size();
}

// One call for each message: they have no numbers before the commit.
ExitCode SendInTransaction(Program& program, const SendOptions& options) {
  Status failed;
  std::int64_t count = 0;
  const Status read = ReadMessages(options.source, options.base, [&](v1::Message&& message) {
    v1::SendRequest request;
    request.set_entity_path(options.queue);
    request.set_transaction_id(options.transaction);
    *request.add_messages() = std::move(message);
    failed = program.client().Send(request).status();
    count += failed.ok() ? 1 : 0;
    return failed.ok();
  });
  if (!failed.ok()) return program.Fail(failed);
  return read.ok() ? PrintDone(program, "added", count) : program.FailUsage(read);
}

ExitCode Send(Program& program, SendOptions& options) {
  if (options.scheduled_at) {
    const auto time = Resolve(program, *options.scheduled_at);
    if (!time.ok()) return program.Fail(time.status());
    *options.base.mutable_scheduled_enqueue_time() = *time;
  }
  if (!options.transaction.empty()) return SendInTransaction(program, options);
  SendReport report(program, options.is_quiet);
  Status read;
  {
    client::SenderOptions sender_options;
    sender_options.window_messages = options.window;
    const auto sender = program.client().CreateSender(options.queue, sender_options);
    ProgressBar progress(TotalOf(options.source));
    std::uint64_t count = 0;
    read = ReadMessages(options.source, options.base, [&](v1::Message&& message) {
      const std::uint64_t index = count++;
      sender->Send(std::move(message),
                   [&report, index](const Result<client::SendReceipt>& receipt) {
                     report.Add(index, receipt);
                   });
      progress.Update(report.acknowledged());
      return !report.is_broken();
    });
    // How the stream ended is in the results of its messages.
    if (const Status flushed = sender->Flush(); !flushed.ok() && count == 0)
      return program.Fail(flushed);
  }
  const ExitCode code = report.Finish();
  return read.ok() ? code : program.FailUsage(read);
}

// One way of giving messages, completed where something is implied.
void CheckSource(SendOptions& options) {
  MessageSource& source = options.source;
  if (options.has_lines) source.unit = MessageSource::Unit::kLine;
  if (options.has_json_lines) source.unit = MessageSource::Unit::kJsonLine;
  const bool reads_lines = source.unit != MessageSource::Unit::kFile;
  if (reads_lines && !source.bodies.empty()) {
    throw CLI::ValidationError("BODY arguments and --lines or --jsonl exclude each other");
  }
  if (reads_lines && source.files.empty()) source.files.emplace_back("-");
  if (source.bodies.empty() && source.files.empty()) {
    throw CLI::ValidationError("nothing to send: give a BODY, --file, --lines or --jsonl");
  }
}

}  // namespace

void AddSendCommand(CLI::App& app, Program& program) {
  const auto options = std::make_shared<SendOptions>();
  CLI::App& command = *app.add_subcommand("send",
                                          "Put messages into a queue; prints the sequence number "
                                          "of each, in order, once it is durable, or \"duplicate "
                                          "of\" and the number of the one that it repeats");
  command.add_option("QUEUE", options->queue, "The queue's path")->required();
  command.add_option("BODY", options->source.bodies, "Each is the body of a message");
  command
      .add_option(
          "--file", options->source.files,
          "A file whose content is one message, of any length that the queue takes; \"-\" is "
          "stdin; repeatable")
      ->type_name("FILE")
      ->type_size(1)
      ->allow_extra_args(false);
  auto* lines = command.add_flag("--lines", options->has_lines,
                                 "Every line of stdin, or of each --file, is a message");
  command
      .add_flag(
          "--jsonl", options->has_json_lines,
          "Every line is a message as a JSON object, as receive --json prints it: body or "
          "body_base64, message_id, time_to_live (\"5m\"), scheduled_enqueue_time (ISO 8601), "
          "application_properties ({\"a\": 1, \"b\": {\"type\": \"int32\", \"value\": 5}}), ...")
      ->excludes(lines);
  command.add_option("--window", options->window, "Messages without a receipt at one time")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 20));
  AddTransactionOption(command, options->transaction);
  command.add_flag("--quiet,-q", options->is_quiet, "Print errors only");
  AddMessageOptions(command, options->base);
  AddMomentOption(command, "--at", options->scheduled_at,
                  "When it becomes available: 2026-01-31T12:00:00Z, or +1h30m from now; the number "
                  "printed is that of the scheduled message")
      ->excludes(command.get_option("--scheduled-enqueue-time"));
  command.callback([options, &program] {
    CheckSource(*options);
    program.action = [options, &program] { return Send(program, *options); };
  });
}

}  // namespace wharf::tool
