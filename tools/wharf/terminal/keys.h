// Keys: what somebody types, out of the bytes that a terminal sends for it.
//
// A key is a character, or one of those that have names here. Terminals agree on few sequences, so
// several stand for one key; a sequence that is none of them is no key. Pure, but for what it
// remembers of a sequence that came in parts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wharf::tool {

struct Key {
  enum class Kind : std::uint8_t {
    kText,  // A character, in `text`.
    kEnter,
    kEscape,
    kBackspace,
    kInterrupt,  // Ctrl-C.
    kSuspend,    // Ctrl-Z.
    kRedraw,     // Ctrl-L.
    kUp,
    kDown,
    kPageUp,
    kPageDown,
    kHome,
    kEnd,
    kF1,
    kF4,
    kF6,
    kF10,
  };
  Kind kind = Kind::kText;
  std::string text{};

  bool operator==(const Key&) const = default;
};

class KeyReader {
 public:
  // The keys in what came, in order; the beginning of a sequence waits for its rest.
  std::vector<Key> Read(std::string_view bytes);
  // Nothing came for a while: an Escape that waits for more was the key.
  std::vector<Key> Settle();
  bool is_waiting() const { return !rest_.empty(); }

 private:
  std::string rest_;
};

}  // namespace wharf::tool
