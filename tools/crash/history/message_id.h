// MessageId: who sent a message, and as its how many-th; travels as the message's message_id.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace wharf::crash {

struct MessageId {
  std::uint32_t client = 0;
  std::uint32_t counter = 0;

  friend constexpr auto operator<=>(const MessageId&, const MessageId&) = default;

  template <typename H>
  friend H AbslHashValue(H state, const MessageId& id) {
    return H::combine(std::move(state), id.client, id.counter);
  }
};

// "3-17".
std::string ToString(const MessageId& id);
// None if the text is not of this form.
std::optional<MessageId> ParseMessageId(std::string_view text);

}  // namespace wharf::crash
