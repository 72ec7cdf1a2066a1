#include "tools/wharf/messages/trace_command.h"

#include <algorithm>
#include <memory>
#include <string>

#include "broker/core/entities/names.h"
#include "tools/wharf/messages/message_table.h"
#include "tools/wharf/messages/trace_report.h"
#include "tools/wharf/terminal/progress_bar.h"
#include "tools/wharf/text/number_option.h"
#include "tools/wharf/text/utf8.h"

namespace wharf::tool {
namespace {

// Nobody waits longer for one answer: it looks at about two million messages in a second.
constexpr std::uint64_t kLookedAtMax = 10'000'000;

struct TraceOptions {
  std::string wanted;
  bool is_id = false;
  v1::TraceMessageRequest request;
  // Of the dead-letter queue that is meant; empty: none is.
  std::string only_path;
  std::uint64_t looked_at_max = kLookedAtMax;
  TimeDigits digits = TimeDigits::kToTheSecond;
};

bool IsNumber(const std::string& text) {
  const auto is_digit = [](char each) { return each >= '0' && each <= '9'; };
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// All pages. Of a search that broke off what it has found is told, too.
Status Search(Program& program, TraceOptions& options, TraceReport& report) {
  ProgressBar progress(std::nullopt, "messages looked at");
  for (bool has_begun = false;; has_begun = true) {
    const auto page = program.client().TraceMessage(options.request);
    if (!page.ok() && has_begun) report.End(/*is_complete=*/false);
    if (!page.ok()) return page.status();
    report.Add(*page);
    const auto looked_at = static_cast<std::uint64_t>(report.looked_at_count());
    progress.Update(looked_at);
    const bool is_complete = page->next_page_token().empty();
    const bool is_enough = options.looked_at_max != 0 && looked_at >= options.looked_at_max;
    if (is_complete || is_enough || program.out.is_broken()) {
      report.End(is_complete);
      return {};
    }
    options.request.set_page_token(page->next_page_token());
  }
}

// A dead-letter queue is looked for in its entity.
void ChooseEntity(const std::string& path, TraceOptions& options) {
  const bool is_dead_letter = ParseAddress(path).lane == LaneKind::kDeadLetter;
  options.only_path = is_dead_letter ? path : "";
  const std::size_t suffix = is_dead_letter ? kDeadLetterSuffix.size() : 0;
  options.request.set_entity_path(path.substr(0, path.size() - suffix));
}

ExitCode Trace(Program& program, TraceOptions& options) {
  if (options.is_id || !IsNumber(options.wanted)) {
    options.request.set_message_id(options.wanted);
  } else {
    const auto number = ParseNumber(options.wanted, RangeOf<std::int64_t>());
    if (!number.ok()) return program.FailUsage(number.status());
    options.request.set_sequence_number(static_cast<std::int64_t>(*number));
  }
  // The same number in two entities is two messages.
  const auto order = options.request.has_message_id() ? TraceReport::EventOrder::kAsTheyHappened
                                                      : TraceReport::EventOrder::kByEntity;
  TraceReport report(program, options.only_path, order, options.digits);
  const Status searched = Search(program, options, report);
  if (!searched.ok()) return program.Fail(searched);
  return report.is_known() ? ExitCode::kOk : ExitCode::kFailed;
}

}  // namespace

void AddTraceCommand(CLI::App& app, Program& program) {
  const auto options = std::make_shared<TraceOptions>();
  CLI::App& command = *app.add_subcommand(
      "trace",
      "Where is my message? Look for it in all entities, among dead letters, deferred and "
      "scheduled "
      "ones, too, and tell who holds it and what it waits for; and, of entities with an event log "
      "(--event-log-size-in-kilobytes), what happened to it, also when it is gone. There is no "
      "index of message ids: "
      "messages are walked over, page by page. Exit code 1 if nothing is known of it");
  command
      .add_option("MESSAGE", options->wanted,
                  "Its message id; digits alone are a sequence number, which each entity gives for "
                  "itself")
      ->required()
      ->check(CheckUtf8);
  command.add_flag("--id", options->is_id, "It is a message id, though it has digits alone");
  command
      .add_option_function<std::string>(
          "--entity", [options](const std::string& path) { ChooseEntity(path, *options); },
          "Only in this queue or subscription, in this topic and its subscriptions, or in this "
          "dead-letter queue; then Listen on that is enough")
      ->type_name("PATH")
      ->check(CheckUtf8);
  AddNumberOption(command, "--limit", options->looked_at_max,
                  "Give up after about so many messages that were looked at; 0 for never");
  AddPreciseFlag(command, options->digits);
  command.callback([options, &program] {
    program.action = [options, &program] { return Trace(program, *options); };
  });
}

}  // namespace wharf::tool
