#include "tools/wharf/messages/message_table.h"

#include <algorithm>
#include <cstddef>

#include <fmt/core.h>

#include "tools/wharf/messages/message_json.h"
#include "tools/wharf/text/field_text.h"
#include "tools/wharf/text/printable_text.h"
#include "tools/wharf/text/utf8.h"

namespace wharf::tool {
namespace {

constexpr std::uint64_t kPageMessagesMax = 250;
constexpr std::size_t kPreviewWidthMax = 200;

// The beginning of the body on one line.
std::string Preview(const v1::ReceivedMessage& message) {
  if (message.has_unreadable_reason()) {
    return Printable("(" + message.unreadable_reason() + ")", kPreviewWidthMax);
  }
  if (IsBodyLeftOut(message)) return "(over 1 MiB: receive it to see it)";
  const std::string& body = message.message().body();
  if (!IsUtf8(body)) return fmt::format("({} bytes)", body.size());
  return Printable(body, kPreviewWidthMax);
}

// A message that rests after an abandon is active for the API; people want to see the difference.
std::string StateOf(const v1::ReceivedMessage& message) {
  if (message.has_available_at()) return "delayed";
  return FieldToText(message, *v1::ReceivedMessage::descriptor()->FindFieldByNumber(
                                  v1::ReceivedMessage::kStateFieldNumber));
}

// Why it was dead-lettered, as the broker or a receiver said.
std::string ReasonOf(const v1::ReceivedMessage& message) {
  const auto& properties = message.message().application_properties();
  const auto reason = properties.find("DeadLetterReason");
  return reason == properties.end() ? "" : reason->second.string_value();
}

// Without a body rather than with an empty one.
void PrintObject(Output& out, const v1::ReceivedMessage& message) {
  auto json = ToJson(message);
  if (IsBodyLeftOut(message) || message.has_unreadable_reason()) json.erase("body");
  out.PrintJson(json);
}

// Of the columns: behind the times.
constexpr std::ptrdiff_t kReasonColumn = 3;

std::vector<Column> ColumnsOf(const MessageTableStyle& style) {
  using Kind = Column::Kind;
  const bool is_scheduled = style.time == MessageTableStyle::Time::kScheduled;
  std::vector<Column> columns = {{"NUMBER", Kind::kNumber},
                                 {"STATE", Kind::kWord, /*is_optional=*/true},
                                 {is_scheduled ? "SCHEDULED FOR" : "ENQUEUED", Kind::kWord},
                                 {"TRIES", Kind::kNumber, /*is_optional=*/true},
                                 {"BYTES", Kind::kNumber, /*is_optional=*/true},
                                 {"MESSAGE ID", Kind::kText},
                                 {"BODY", Kind::kText}};
  if (style.has_reason) columns.insert(columns.begin() + kReasonColumn, {"REASON", Kind::kText});
  return columns;
}

}  // namespace

// Properties never have so many bytes.
bool IsBodyLeftOut(const v1::ReceivedMessage& message) {
  constexpr std::int64_t kShownBytesMax = 1 << 20;
  return message.message().body().empty() && message.size() > kShownBytesMax;
}

MessageTable::MessageTable(Program& program, MessageTableStyle style)
    : program_(program), style_(style), table_(ColumnsOf(style), program.out) {}

void MessageTable::Print(const v1::ReceivedMessage& message) {
  if (program_.is_json) return PrintObject(program_.out, message);
  const auto& time = style_.time == MessageTableStyle::Time::kScheduled
                         ? message.message().scheduled_enqueue_time()
                         : message.enqueued_time();
  std::vector<std::string> cells = {std::to_string(message.sequence_number()),
                                    StateOf(message),
                                    TimeText(time, style_.digits),
                                    std::to_string(message.delivery_count()),
                                    std::to_string(message.size()),
                                    message.message().message_id(),
                                    Preview(message)};
  if (style_.has_reason) {
    cells.insert(cells.begin() + kReasonColumn, ReasonOf(message));
  }
  table_.Add(cells);
}

void MessageTable::End() {
  if (!program_.is_json) table_.End();
}

void AddPreciseFlag(CLI::App& command, TimeDigits& digits) {
  command.add_flag_callback(
      "--precise", [&digits] { digits = TimeDigits::kAll; },
      "Times with all their digits instead of to the second");
}

Result<std::uint64_t> PeekPages(Program& program, v1::PeekRequest request,
                                std::uint64_t messages_max, MessageTable& table) {
  std::uint64_t count = 0;
  while (messages_max == 0 || count < messages_max) {
    const std::uint64_t wanted = messages_max == 0 ? kPageMessagesMax : messages_max - count;
    request.set_max_messages(static_cast<std::uint32_t>(std::min(wanted, kPageMessagesMax)));
    const auto page = program.client().Peek(request);
    if (!page.ok()) return page.status();
    for (const v1::ReceivedMessage& message : page->messages()) table.Print(message);
    count += static_cast<std::uint64_t>(page->messages_size());
    if (!page->has_next_sequence_number() || program.out.is_broken()) break;
    request.set_from_sequence_number(page->next_sequence_number());
  }
  table.End();
  return count;
}

}  // namespace wharf::tool
