#include "broker/engine/receiver.h"

#include <algorithm>
#include <limits>

namespace wharf {
namespace {

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
  if (credit_.bytes && credit.bytes) *credit_.bytes -= std::min(*credit_.bytes, *credit.bytes);
}

Credit Receiver::TakeCredit() {
  const Credit left = credit_;
  credit_.messages = 0;
  if (credit_.bytes) credit_.bytes = 0;
  return left;
}

bool Receiver::CanTake(std::int64_t size) const {
  if (credit_.messages == 0) return false;
  if (!credit_.bytes || static_cast<std::uint64_t>(size) <= *credit_.bytes) return true;
  return outstanding_ == 0 && *credit_.bytes > 0;
}

void Receiver::Spend(std::int64_t size) {
  --credit_.messages;
  if (credit_.bytes) *credit_.bytes -= std::min(*credit_.bytes, static_cast<std::uint64_t>(size));
  if (options_.mode == ReceiveMode::kPeekLock) ++outstanding_;
}

}  // namespace wharf
