// Payload: what a delivery carries, in pieces that go out one behind another: what stands around
// the body of a message need not be copied to it.
//
// Looks at its bytes. Made by whoever sends, taken apart by a Link, frame by frame.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

namespace wharf::amqp {

class Payload {
 public:
  // What most are.
  template <std::convertible_to<std::string_view> Text>
  // NOLINTNEXTLINE(google-explicit-constructor)
  Payload(const Text& whole) : pieces_{std::string_view(whole)} {}
  Payload(std::string_view head, std::string_view body, std::string_view tail)
      : pieces_{head, body, tail} {}

  bool empty() const { return size() == 0; }
  std::size_t size() const { return pieces_[0].size() + pieces_[1].size() + pieces_[2].size(); }
  // So many of them are gone.
  void RemovePrefix(std::size_t bytes) {
    for (std::string_view& piece : pieces_) {
      const std::size_t gone = std::min(bytes, piece.size());
      piece.remove_prefix(gone);
      bytes -= gone;
    }
  }
  // The first so many.
  void AppendTo(std::string& out, std::size_t bytes) const {
    for (const std::string_view piece : pieces_) {
      const std::string_view taken = piece.substr(0, bytes);
      out.append(taken);
      bytes -= taken.size();
    }
  }

 private:
  std::array<std::string_view, 3> pieces_;
};

}  // namespace wharf::amqp
