#include "storage/base/crc32c.h"

#include <array>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace wharf {
namespace {

// The polynomial, lowest power first.
constexpr std::uint32_t kPolynomial = 0x82F63B78;

// What a byte does to the remainder.
constexpr std::array<std::uint32_t, 256> MakeTable() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? kPolynomial : 0);
    }
    table[byte] = remainder;
  }
  return table;
}

constexpr auto kTable = MakeTable();

std::uint32_t ByTable(std::string_view bytes, std::uint32_t remainder) {
  for (const char c : bytes) {
    remainder = (remainder >> 8) ^ kTable[(remainder ^ static_cast<std::uint8_t>(c)) & 0xFF];
  }
  return remainder;
}

#if defined(__x86_64__)
// Eight bytes an instruction; what is left over goes by the table.
__attribute__((target("sse4.2"))) std::uint32_t ByInstruction(std::string_view bytes,
                                                              std::uint32_t remainder) {
  std::uint64_t wide = remainder;
  while (bytes.size() >= sizeof(std::uint64_t)) {
    std::uint64_t next = 0;
    std::memcpy(&next, bytes.data(), sizeof(next));
    wide = _mm_crc32_u64(wide, next);
    bytes.remove_prefix(sizeof(next));
  }
  return ByTable(bytes, static_cast<std::uint32_t>(wide));
}

bool HasInstruction() {
  static const bool has = __builtin_cpu_supports("sse4.2") != 0;
  return has;
}
#endif

}  // namespace

std::uint32_t Crc32c(std::string_view bytes, std::uint32_t before) {
#if defined(__x86_64__)
  if (HasInstruction()) return ~ByInstruction(bytes, ~before);
#endif
  return ~ByTable(bytes, ~before);
}

}  // namespace wharf
