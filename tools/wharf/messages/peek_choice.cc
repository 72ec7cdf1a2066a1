#include "tools/wharf/messages/peek_choice.h"

#include <string>

#include "tools/wharf/text/field_text.h"
#include "tools/wharf/text/number_option.h"

namespace wharf::tool {
namespace {

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

void AddPeekChoice(CLI::App& command, v1::PeekRequest& request) {
  AddStateOption(command, request);
  command
      .add_option_function<std::string>(
          "--session", [&request](const std::string& id) { request.set_session_id(id); },
          "Only messages of the session with this id")
      ->type_name("ID");
  command
      .add_option_function<std::string>(
          "--filter", [&request](const std::string& text) { request.set_sql_filter(text); },
          "Only messages for which this SQL filter on properties is true: \"color = 'red' AND "
          "sys.DeliveryCount > 2\". There are = <> < <= > >=, AND OR NOT, + - * / %, IN, LIKE, "
          "IS NULL and EXISTS(name); sys. is before the broker's own: SequenceNumber, MessageId, "
          "Label, CorrelationId, SessionId, EnqueuedTimeUtc, DeliveryCount and others")
      ->type_name("SQL");
  const auto start = [&request](std::uint64_t from) {
    request.set_from_sequence_number(static_cast<std::int64_t>(from));
  };
  AddNumberFunction(command, "--from", start, "The first sequence number to show",
                    RangeOf<std::int64_t>())
      ->default_str("0");
}

}  // namespace wharf::tool
