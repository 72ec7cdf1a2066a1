#include "broker/engine/delivery/receiver.h"

#include <algorithm>
#include <limits>

namespace wharf {
namespace {

// Deliveries of one receiver that may wait at its door.
constexpr std::size_t kUnwrittenMessagesMax = 1024;
constexpr std::int64_t kUnwrittenBytesMax = 4 * 1024 * 1024;

std::uint64_t SaturatingAdd(std::uint64_t a, std::uint64_t b) {
  return b > std::numeric_limits<std::uint64_t>::max() - a
             ? std::numeric_limits<std::uint64_t>::max()
             : a + b;
}

}  // namespace

void Receiver::Grant(const Credit& credit) {
  credit_.messages = SaturatingAdd(credit_.messages, credit.messages);
  if (!credit.bytes) {
    credit_.bytes.reset();
  } else if (credit_.bytes) {
    credit_.bytes = SaturatingAdd(*credit_.bytes, *credit.bytes);
  }
}

void Receiver::Revoke(const Credit& credit) {
  credit_.messages -= std::min(credit_.messages, credit.messages);
  if (credit_.bytes) *credit_.bytes -= std::min(*credit_.bytes, credit.bytes.value_or(0));
}

Credit Receiver::TakeCredit() {
  const Credit left = credit_;
  credit_.messages = 0;
  if (credit_.bytes) credit_.bytes = 0;
  return left;
}

bool Receiver::CanTake(std::int64_t size) const {
  if (credit_.messages == 0 || is_pipe_full()) return false;
  if (!credit_.bytes || static_cast<std::uint64_t>(size) <= *credit_.bytes) return true;
  const bool is_first = options_.is_once ? received_ == 0 : outstanding_ == 0;
  return is_first && *credit_.bytes > 0;
}

void Receiver::Spend(std::int64_t size) {
  ++received_;
  --credit_.messages;
  if (credit_.bytes) *credit_.bytes -= std::min(*credit_.bytes, static_cast<std::uint64_t>(size));
  if (options_.mode == ReceiveMode::kPeekLock) ++outstanding_;
  ++unwritten_messages_;
  unwritten_bytes_ += size;
}

void Receiver::NoteWritten(std::size_t messages, std::int64_t bytes) {
  unwritten_messages_ -= std::min(unwritten_messages_, messages);
  unwritten_bytes_ -= std::min(unwritten_bytes_, bytes);
}

bool Receiver::is_pipe_full() const {
  return !options_.is_once &&
         (unwritten_messages_ >= kUnwrittenMessagesMax || unwritten_bytes_ >= kUnwrittenBytesMax);
}

}  // namespace wharf
