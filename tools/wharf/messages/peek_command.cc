#include "tools/wharf/messages/peek_command.h"

#include <memory>

#include "tools/wharf/messages/message_table.h"
#include "tools/wharf/text/field_text.h"
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

void AddStateOption(CLI::App& command, v1::PeekRequest& request) {
  const auto set = [&request](const std::string& text) {
    const auto* field =
        v1::PeekRequest::descriptor()->FindFieldByNumber(v1::PeekRequest::kFilterFieldNumber);
    const Status status = SetFieldFromText(request, *field, text);
    if (!status.ok()) throw CLI::ValidationError("--state", status.message());
  };
  command
      .add_option_function<std::string>(
          "--state", set,
          "all; active: waiting, locked or resting after an abandon; delayed: only those that "
          "rest; deferred; scheduled; quarantined: the broker cannot read them")
      ->type_name(WordsOf(
          *v1::PeekRequest::descriptor()->FindFieldByNumber(v1::PeekRequest::kFilterFieldNumber)))
      ->default_str("all");
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
  AddStateOption(command, options->request);
  command
      .add_option_function<std::string>(
          "--session", [options](const std::string& id) { options->request.set_session_id(id); },
          "Only messages of the session with this id")
      ->type_name("ID");
  command
      .add_option_function<std::string>(
          "--filter", [options](const std::string& text) { options->request.set_sql_filter(text); },
          "Only messages for which this SQL filter on properties is true: \"color = 'red' AND "
          "sys.DeliveryCount > 2\". There are = <> < <= > >=, AND OR NOT, + - * / %, IN, LIKE, "
          "IS NULL and EXISTS(name); sys. is before the broker's own: SequenceNumber, MessageId, "
          "Label, CorrelationId, SessionId, EnqueuedTimeUtc, DeliveryCount and others")
      ->type_name("SQL");
  const auto start = [options](std::uint64_t from) {
    options->request.set_from_sequence_number(static_cast<std::int64_t>(from));
  };
  AddNumberFunction(command, "--from", start, "The first sequence number to show",
                    RangeOf<std::int64_t>())
      ->default_str("0");
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
