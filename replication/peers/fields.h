// Fields: what handshakes are written in, so that a later version may say more.
//
//   fields = *( tag (1) length (2) value (length) )       little-endian
//
// A tag that the reader does not know is passed over; numbers are 8 bytes. Plain values.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace wharf {

class FieldWriter {
 public:
  // At most 65535 bytes; what is longer is a bug of the caller.
  FieldWriter& Text(std::uint8_t tag, std::string_view value);
  FieldWriter& Number(std::uint8_t tag, std::uint64_t value);

  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

// Calls `visit` with each field; whether the bytes were fields to their end.
bool VisitFields(std::string_view bytes,
                 const std::function<void(std::uint8_t tag, std::string_view value)>& visit);

// Of a value; 0, which no number of a handshake may be, if it is none.
std::uint64_t NumberIn(std::string_view value);

}  // namespace wharf
