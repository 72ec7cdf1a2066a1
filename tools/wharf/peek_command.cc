#include "tools/wharf/peek_command.h"

#include <algorithm>
#include <memory>

#include <fmt/core.h>

#include "tools/wharf/field_text.h"
#include "tools/wharf/message_json.h"
#include "tools/wharf/utf8.h"

namespace wharf::tool {
namespace {

constexpr std::uint64_t kPageMessagesMax = 250;
constexpr std::size_t kPreviewBytesMax = 60;

struct PeekOptions {
  std::string queue;
  bool is_dead_letter = false;
  std::int64_t from = 0;
  std::uint64_t messages_max = 10;
  std::uint64_t expected = 0;
};

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

std::string Text(const v1::ReceivedMessage& message, int field_number) {
  const auto* field = v1::ReceivedMessage::descriptor()->FindFieldByNumber(field_number);
  return FieldToText(message, *field);
}

void PrintHeader() {
  fmt::print("{:>12}  {:<9}  {:<30}  {:>5}  {:>10}  {:<20}  {}\n", "NUMBER", "STATE", "ENQUEUED",
             "TRIES", "BYTES", "MESSAGE ID", "BODY");
}

void PrintRow(const v1::ReceivedMessage& message) {
  fmt::print("{:>12}  {:<9}  {:<30}  {:>5}  {:>10}  {:<20}  {}\n", message.sequence_number(),
             Text(message, v1::ReceivedMessage::kStateFieldNumber),
             Text(message, v1::ReceivedMessage::kEnqueuedTimeFieldNumber), message.delivery_count(),
             message.size(), message.message().message_id(), Preview(message));
}

// Without a body rather than with an empty one.
void PrintObject(const v1::ReceivedMessage& message) {
  auto json = ToJson(message);
  if (IsBodyLeftOut(message)) json.erase("body");
  PrintJson(json);
}

ExitCode Peek(Program& program, const PeekOptions& options) {
  v1::PeekRequest request;
  request.set_entity_path(options.is_dead_letter ? DeadLetterPath(options.queue) : options.queue);
  request.set_from_sequence_number(options.from);
  std::uint64_t count = 0;
  if (!program.is_json) PrintHeader();
  while (options.messages_max == 0 || count < options.messages_max) {
    const std::uint64_t wanted =
        options.messages_max == 0 ? kPageMessagesMax : options.messages_max - count;
    request.set_max_messages(static_cast<std::uint32_t>(std::min(wanted, kPageMessagesMax)));
    const auto page = program.client().Peek(request);
    if (!page.ok()) return Fail(page.status());
    for (const v1::ReceivedMessage& message : page->messages()) {
      program.is_json ? PrintObject(message) : PrintRow(message);
    }
    count += page->messages_size();
    if (!page->has_next_sequence_number()) break;
    request.set_from_sequence_number(page->next_sequence_number());
  }
  return count < options.expected ? ExitCode::kTooFew : ExitCode::kOk;
}

}  // namespace

void AddPeekCommand(CLI::App& app, Program& program) {
  const auto options = std::make_shared<PeekOptions>();
  CLI::App& command = *app.add_subcommand("peek",
                                          "Look at messages of every state, in the order of their "
                                          "numbers, without locking; bodies over "
                                          "1 MiB are not shown");
  command.add_option("QUEUE", options->queue, "The queue's path")->required();
  command.add_flag("--dead-letter", options->is_dead_letter, "In its dead-letter queue");
  command.add_option("--from", options->from, "The first sequence number to show")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command.add_option("--max,-n", options->messages_max, "At most so many messages; 0 for all")
      ->capture_default_str();
  command.add_option("--expect", options->expected,
                     "Exit with code 4 if there are fewer messages than this");
  command.callback([options, &program] {
    program.action = [options, &program] { return Peek(program, *options); };
  });
}

}  // namespace wharf::tool
