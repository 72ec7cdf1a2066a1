#include "tools/wharf/messages/send_command.h"

#include <memory>
#include <optional>

#include <fmt/core.h>

#include "storage/base/duration_text.h"
#include "tools/client/reconnecting_sender.h"
#include "tools/wharf/entities/entity_argument.h"
#include "tools/wharf/messages/message_options.h"
#include "tools/wharf/messages/message_source.h"
#include "tools/wharf/messages/send_report.h"
#include "tools/wharf/terminal/interrupt_watcher.h"
#include "tools/wharf/terminal/interruption.h"
#include "tools/wharf/terminal/progress_bar.h"
#include "tools/wharf/text/moment.h"
#include "tools/wharf/text/number_option.h"
#include "tools/wharf/text/printable_text.h"
#include "tools/wharf/text/token_list.h"
#include "tools/wharf/text/utf8.h"

namespace wharf::tool {
namespace {

struct SendOptions {
  std::string queue;
  MessageSource source;
  bool has_lines = false;
  bool has_json_lines = false;
  bool is_quiet = false;
  std::size_t window = 4096;
  Duration reconnect_for = std::chrono::minutes(1);
  bool repeats_unknown = false;
  v1::Message base;
  std::optional<Moment> scheduled_at;
  // Of the open transaction that shall send them; empty: none.
  std::string transaction;
};

std::optional<std::uint64_t> TotalOf(const MessageSource& source) {
  if (source.unit != MessageSource::Unit::kFile) return std::nullopt;
  return source.bodies.size() + source.files.size();
}

// One call for each message: they have no numbers before the commit.
ExitCode SendInTransaction(Program& program, const SendOptions& options) {
  const Interruption interruption;  // Never raised: Ctrl-C leaves the transaction open.
  Status failed;
  std::int64_t count = 0;
  const auto send = [&](v1::Message&& message) {
    v1::SendRequest request;
    request.set_entity_path(options.queue);
    request.set_transaction_id(options.transaction);
    *request.add_messages() = std::move(message);
    failed = program.client().Send(request).status();
    count += failed.ok() ? 1 : 0;
    return failed.ok();
  };
  const Status read = ReadMessages(options.source, options.base, interruption, send);
  if (!failed.ok()) return program.Fail(failed);
  return read.ok() ? PrintDone(program, "added", count) : program.FailUsage(read);
}

client::ReconnectOptions ToReconnectOptions(Program& program, const SendOptions& options) {
  return {.patience = options.reconnect_for,
          .on_lost =
              [&program, patience = options.reconnect_for](const Status& reason) {
                program.err.Print("wharf: {}; trying again for {}\n", Printable(reason.ToString()),
                                  FormatDuration(patience));
              },
          .on_back = [&program] { program.err.Print("wharf: the broker is back\n"); }};
}

// Reads, sends, and returns when every message has its result. Why reading ended too soon, if so.
Status SendAll(Program& program, const SendOptions& options, const Interruption& interruption,
               client::ReconnectingSender& sender, SendReport& report) {
  ProgressBar progress(TotalOf(options.source));
  std::uint64_t count = 0;
  const auto send = [&](v1::Message&& message) {
    const std::uint64_t index = count++;
    sender.Send(std::move(message), [&report, index](const Result<client::SendReceipt>& receipt) {
      report.Add(index, receipt);
    });
    progress.Update(report.acknowledged());
    return !report.is_broken();
  };
  Status read = ReadMessages(options.source, options.base, interruption, send);
  const Status flushed = sender.Flush();
  // Otherwise how the stream ended is in the results of its messages.
  if (!flushed.ok() && count == 0) program.PrintError(flushed);
  return read;
}

ExitCode SendStreaming(Program& program, const SendOptions& options) {
  SendReport report(program, options.is_quiet);
  Interruption interruption;
  Status read;
  {
    client::SenderOptions sender_options;
    sender_options.window_messages = options.window;
    sender_options.returns_unknown = options.repeats_unknown;
    client::ReconnectingSender sender(program.client(), options.queue, sender_options,
                                      ToReconnectOptions(program, options));
    InterruptWatcher watcher([&] {
      interruption.Raise();
      sender.Interrupt();
    });
    read = SendAll(program, options, interruption, sender, report);
  }
  const ExitCode code = report.Finish(interruption.is_raised());
  return read.ok() ? code : program.FailUsage(read);
}

ExitCode Send(Program& program, SendOptions& options) {
  if (options.scheduled_at) {
    const auto time = ResolveFuture(program, *options.scheduled_at);
    if (!time.ok()) return FailTime(program, time.status());
    *options.base.mutable_scheduled_enqueue_time() = *time;
  }
  if (!options.transaction.empty()) return SendInTransaction(program, options);
  return SendStreaming(program, options);
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
                                          "of\" and the number of the one that it repeats. Ctrl-C "
                                          "ends the reading, waits for what is under way, and "
                                          "tells how many were acknowledged");
  AddTargetArgument(command, options->queue)->check(CheckUtf8);
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
                                 "Every line of stdin, or of each --file, is a message; a carriage "
                                 "return before the line feed is not part of it");
  command
      .add_flag(
          "--jsonl", options->has_json_lines,
          "Every line is a message as a JSON object, as receive --json prints it: body or "
          "body_base64, message_id, time_to_live (\"5m\"), scheduled_enqueue_time (ISO 8601), "
          "application_properties ({\"a\": 1, \"b\": {\"type\": \"int32\", \"value\": 5}}), ...")
      ->excludes(lines);
  AddNumberOption(command, "--window", options->window, "Messages without a receipt at one time",
                  {.min = 1, .max = 1 << 20});
  AddDurationOption(command, "--reconnect-for", options->reconnect_for,
                    "How long to wait for the broker when the connection breaks; what it did not "
                    "take is then sent, what may have been stored is not sent again but told; 0s: "
                    "not at all");
  command.add_flag("--repeat-unknown", options->repeats_unknown,
                   "Send again, too, what may have been stored, if it has a message id: for a "
                   "queue that detects duplicates, which then tells");
  AddTransactionOption(command, options->transaction);
  command.add_flag("--quiet,-q", options->is_quiet, "Print errors only");
  AddMessageOptions(command, options->base);
  AddMomentOption(command, "--at", options->scheduled_at,
                  "When it becomes available: 2026-01-31T12:00:00Z, without the Z in the time of "
                  "this machine, or +1h30m from now; not in the past. The number printed is that "
                  "of the scheduled message")
      ->excludes(command.get_option("--scheduled-enqueue-time"));
  command.callback([options, &program] {
    CheckSource(*options);
    program.action = [options, &program] { return Send(program, *options); };
  });
}

}  // namespace wharf::tool
