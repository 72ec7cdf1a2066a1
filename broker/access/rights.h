// Rights: what a rule allows (SEC-1). Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "storage/base/status.h"

namespace wharf::access {

// The values are on disk.
enum class Right : std::uint8_t { kSend = 1, kListen = 2, kManage = 4 };

inline constexpr Right kAllRights[] = {Right::kSend, Right::kListen, Right::kManage};

// "Send".
std::string_view NameOf(Right right);

// Some of them. Who may manage may send and listen, too.
class Rights {
 public:
  constexpr Rights() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): one right is a set of rights.
  constexpr Rights(Right right) : bits_(Implied(static_cast<std::uint8_t>(right))) {}
  // Of what is stored; bits that mean nothing are dropped.
  static constexpr Rights OfBits(std::uint8_t bits) {
    Rights rights;
    rights.bits_ = Implied(bits & kAllBits);
    return rights;
  }

  constexpr bool Has(Right right) const { return (bits_ & static_cast<std::uint8_t>(right)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr std::uint8_t bits() const { return bits_; }

  friend constexpr Rights operator|(Rights one, Rights other) {
    return OfBits(one.bits_ | other.bits_);
  }
  friend constexpr bool operator==(Rights, Rights) = default;

 private:
  static constexpr std::uint8_t kAllBits = 7;
  static constexpr std::uint8_t Implied(std::uint8_t bits) {
    return (bits & static_cast<std::uint8_t>(Right::kManage)) != 0 ? kAllBits : bits;
  }

  std::uint8_t bits_ = 0;
};

// "Send, Listen"; of all three "Manage, Send, Listen".
std::string ToString(Rights rights);

}  // namespace wharf::access
