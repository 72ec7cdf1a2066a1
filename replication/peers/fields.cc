#include "replication/peers/fields.h"

#include <cassert>
#include <limits>

#include <boost/endian/conversion.hpp>

namespace wharf {
namespace {

namespace endian = boost::endian;

constexpr std::size_t kHeadBytes = 3;

const std::uint8_t* Bytes(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

}  // namespace

FieldWriter& FieldWriter::Text(std::uint8_t tag, std::string_view value) {
  assert(value.size() <= std::numeric_limits<std::uint16_t>::max());
  std::uint8_t length[2];
  endian::store_little_u16(length, static_cast<std::uint16_t>(value.size()));
  out_ += static_cast<char>(tag);
  out_.append(reinterpret_cast<const char*>(length), sizeof(length));
  out_ += value;
  return *this;
}

FieldWriter& FieldWriter::Number(std::uint8_t tag, std::uint64_t value) {
  std::uint8_t bytes[8];
  endian::store_little_u64(bytes, value);
  return Text(tag, {reinterpret_cast<const char*>(bytes), sizeof(bytes)});
}

bool VisitFields(std::string_view bytes,
                 const std::function<void(std::uint8_t, std::string_view)>& visit) {
  while (bytes.size() >= kHeadBytes) {
    const auto tag = static_cast<std::uint8_t>(bytes.front());
    const std::size_t length = endian::load_little_u16(Bytes(bytes) + 1);
    bytes.remove_prefix(kHeadBytes);
    if (length > bytes.size()) return false;
    visit(tag, bytes.substr(0, length));
    bytes.remove_prefix(length);
  }
  return bytes.empty();
}

std::uint64_t NumberIn(std::string_view value) {
  return value.size() == 8 ? endian::load_little_u64(Bytes(value)) : 0;
}

}  // namespace wharf
