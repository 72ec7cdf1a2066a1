// SharedBytes: bytes that nobody changes, kept by everybody who needs them: a copy is a pointer.
//
// So the payload of an entry is written once, and stands in the message of a node, in the memory of
// the log, and with who applies it, as the same bytes. A part of some is a view that keeps the
// whole: who keeps parts for long keeps their neighbours, too. Values; any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace wharf {

class SharedBytes {
 public:
  SharedBytes() = default;
  // Takes the string; one that is empty costs nothing.
  SharedBytes(std::string bytes) {
    if (bytes.empty()) return;
    whole_ = std::make_shared<const std::string>(std::move(bytes));
    view_ = *whole_;
  }
  SharedBytes(std::string_view bytes) : SharedBytes(std::string(bytes)) {}
  SharedBytes(const char* text) : SharedBytes(std::string(text)) {}

  // `size` bytes from `offset`, which are there.
  SharedBytes Part(std::size_t offset, std::size_t size) const {
    SharedBytes part;
    part.whole_ = whole_;
    part.view_ = view_.substr(offset, size);
    return part;
  }

  std::string_view view() const { return view_; }
  operator std::string_view() const { return view_; }
  const char* data() const { return view_.data(); }
  std::size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }

  friend bool operator==(const SharedBytes& one, const SharedBytes& other) {
    return one.view_ == other.view_;
  }

 private:
  std::shared_ptr<const std::string> whole_;
  std::string_view view_;
};

}  // namespace wharf
