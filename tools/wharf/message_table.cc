#include "tools/wharf/message_table.h"

#include <algorithm>

#include <fmt/core.h>
#include <google/protobuf/util/time_util.h>

#include "tools/wharf/field_text.h"
#include "tools/wharf/message_json.h"
#include "tools/wharf/utf8.h"

namespace wharf::tool {
namespace {

using google::protobuf::util::TimeUtil;

constexpr std::uint64_t kPageMessagesMax = 250;
constexpr std::size_t kPreviewBytesMax = 60;

// A peek shows no body over 1 MiB; properties never have so many bytes.
bool IsBodyLeftOut(const v1::ReceivedMessage& message) {
  constexpr std::int64_t kShownBytesMax = 1 << 20;
  return message.message().body().empty() && message.size() > kShownBytesMax;
}

// The beginning of the body on one line.
std::string Preview(const v1::ReceivedMessage& message) {
  if (IsBodyLeftOut(message)) return "(over 1 MiB: receive it to see it)";
  const std::string& body = message.message().body();
  if (!IsUtf8(body)) return fmt::format("({} bytes)", body.size());
  std::string text = body.substr(0, kPreviewBytesMax);
  while (!IsUtf8(text)) text.pop_back();
  std::replace_if(
      text.begin(), text.end(), [](unsigned char letter) { return letter < ' '; }, ' ');
  return text.size() < body.size() ? text + "..." : text;
}

// A message that rests after an abandon is active for the API; people want to see the difference.
std::string StateOf(const v1::ReceivedMessage& message) {
  if (message.has_available_at()) return "delayed";
  return FieldToText(message, *v1::ReceivedMessage::descriptor()->FindFieldByNumber(
                                  v1::ReceivedMessage::kStateFieldNumber));
}

// Without a body rather than with an empty one.
void PrintObject(Output& out, const v1::ReceivedMessage& message) {
  auto json = ToJson(message);
  if (IsBodyLeftOut(message)) json.erase("body");
  out.PrintJson(json);
}

}  // namespace

MessageTable::MessageTable(Program& program, Time time) : program_(program), time_(time) {
  if (program_.is_json) return;
  program_.out.Print("{:>12}  {:<9}  {:<30}  {:>5}  {:>10}  {:<20}  {}\n", "NUMBER", "STATE",
                     time_ == Time::kScheduled ? "SCHEDULED FOR" : "ENQUEUED", "TRIES", "BYTES",
                     "MESSAGE ID", "BODY");
}

void MessageTable::Print(const v1::ReceivedMessage& message) const {
  if (program_.is_json) return PrintObject(program_.out, message);
  const auto& time = time_ == Time::kScheduled ? message.message().scheduled_enqueue_time()
                                               : message.enqueued_time();
  program_.out.Print("{:>12}  {:<9}  {:<30}  {:>5}  {:>10}  {:<20}  {}\n",
                     message.sequence_number(), StateOf(message), TimeUtil::ToString(time),
                     message.delivery_count(), message.size(), message.message().message_id(),
                     Preview(message));
}

Result<std::uint64_t> PeekPages(Program& program, v1::PeekRequest request,
                                std::uint64_t messages_max, const MessageTable& table) {
  std::uint64_t count = 0;
  while (messages_max == 0 || count < messages_max) {
    const std::uint64_t wanted = messages_max == 0 ? kPageMessagesMax : messages_max - count;
    request.set_max_messages(static_cast<std::uint32_t>(std::min(wanted, kPageMessagesMax)));
    const auto page = program.client().Peek(request);
    if (!page.ok()) return page.status();
    for (const v1::ReceivedMessage& message : page->messages()) table.Print(message);
    count += static_cast<std::uint64_t>(page->messages_size());
    if (!page->has_next_sequence_number()) break;
    request.set_from_sequence_number(page->next_sequence_number());
  }
  return count;
}

}  // namespace wharf::tool
