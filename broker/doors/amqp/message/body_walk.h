// BodyWalk: where the body of a message ends whose bytes are still coming, and which does not tell
// its length beforehand: section by section, by the size that each one has at its beginning.
//
// Sections, their kinds and their order are looked at as SplitSections does; what is inside a list
// or another value is not: for that it would have to be there. Holds the beginning of one section
// at most. Used by LargeSend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "broker/doors/amqp/codec/reader.h"
#include "broker/doors/amqp/message/sections.h"
#include "storage/base/status.h"

namespace wharf::amqp {

class BodyWalk {
 public:
  // The next bytes of the message, from the beginning of its body on. What of them is of the body,
  // with the beginnings of its sections, goes behind `body`, and all that comes behind it behind
  // `tail`. An error will not go away with more bytes.
  Status Take(std::string_view piece, std::string& body, std::string& tail);
  // Whether it may end here.
  Status CheckEnd() const;

 private:
  // How a section begins.
  struct Begin {
    std::uint64_t code = 0;
    std::size_t head_bytes = 0;
    std::uint64_t content_bytes = 0;
  };
  // Nothing: it is not there as a whole.
  static Result<std::optional<Begin>> ReadBegin(std::string_view bytes);
  Status TakeBegin(std::string_view& piece, std::string& body, std::string& tail);
  Status CheckPlace(std::uint64_t code) const;

  // Of a section whose beginning is not whole.
  std::string begun_;
  // Of the section that comes.
  std::uint64_t content_left_ = 0;
  // Of all sections so far; absent before the first.
  std::optional<std::uint64_t> code_;
  // A footer has begun.
  bool is_over_ = false;
};

}  // namespace wharf::amqp
