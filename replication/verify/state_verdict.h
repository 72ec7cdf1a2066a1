// StateVerdict: what a leader tells the members when their states are not the same.
//
//   verdict = kind (1) · sentence
//
// A plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wharf {

struct StateVerdict {
  // Numbers are on the wire.
  enum class Kind : std::uint8_t {
    kDiffers = 1,  // The one that is told so, from a majority that is equal: its state is damaged.
    kAlarm = 2,    // Nobody knows which of them is right.
    kEqual = 3,    // They are, by now.
  };

  Kind kind = Kind::kAlarm;
  std::string sentence{};

  std::string Encode() const { return static_cast<char>(kind) + sentence; }
  // Nothing: it is none.
  static std::optional<StateVerdict> Decode(std::string_view bytes) {
    if (bytes.empty()) return std::nullopt;
    const auto kind = static_cast<Kind>(bytes.front());
    if (kind < Kind::kDiffers || kind > Kind::kEqual) return std::nullopt;
    return StateVerdict{kind, std::string(bytes.substr(1))};
  }
};

}  // namespace wharf
