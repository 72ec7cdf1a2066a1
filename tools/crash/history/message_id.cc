#include "tools/crash/history/message_id.h"

#include <charconv>

#include <fmt/core.h>

namespace wharf::crash {

namespace {

bool ParseNumber(std::string_view text, std::uint32_t& number) {
  const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
  return error == std::errc() && end == text.end();
}

}  // namespace

std::string ToString(const MessageId& id) { return fmt::format("{}-{}", id.client, id.counter); }

std::optional<MessageId> ParseMessageId(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  MessageId id;
  const bool is_id = ParseNumber(text.substr(0, dash), id.client) &&
                     ParseNumber(text.substr(dash + 1), id.counter);
  return is_id ? std::optional(id) : std::nullopt;
}

}  // namespace wharf::crash
