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
// Of three parts, each of so many bytes, at the same time.
constexpr std::size_t kPartBytes = 1024;

// What as many zeros behind it do to each byte of a remainder.
using PartShift = std::array<std::array<std::uint32_t, 256>, sizeof(std::uint32_t)>;

constexpr std::uint32_t BehindZeros(std::uint32_t remainder, std::size_t zeros) {
  for (; zeros > 0; --zeros) remainder = (remainder >> 8) ^ kTable[remainder & 0xFF];
  return remainder;
}

// What several bits do is what each does, together.
PartShift MakePartShift() {
  PartShift shift{};
  for (std::size_t place = 0; place < shift.size(); ++place) {
    for (std::uint32_t byte = 1; byte < shift[place].size(); ++byte) {
      const std::uint32_t lowest = byte & (~byte + 1);
      shift[place][byte] = byte == lowest ? BehindZeros(byte << (8 * place), kPartBytes)
                                          : shift[place][lowest] ^ shift[place][byte ^ lowest];
    }
  }
  return shift;
}

std::uint32_t BehindPart(std::uint32_t remainder) {
  static const PartShift kShift = MakePartShift();
  return kShift[0][remainder & 0xFF] ^ kShift[1][(remainder >> 8) & 0xFF] ^
         kShift[2][(remainder >> 16) & 0xFF] ^ kShift[3][remainder >> 24];
}

__attribute__((target("sse4.2"))) std::uint64_t NextEight(std::uint64_t remainder,
                                                          const char* bytes) {
  std::uint64_t next = 0;
  std::memcpy(&next, bytes, sizeof(next));
  return _mm_crc32_u64(remainder, next);
}

// The second and the third part as if nothing came before them; what came before is what it would
// be behind as many zeros.
__attribute__((target("sse4.2"))) std::uint32_t OfThreeParts(const char* bytes,
                                                             std::uint32_t remainder) {
  std::uint64_t first = remainder;
  std::uint64_t second = 0;
  std::uint64_t third = 0;
  for (const char* const end = bytes + kPartBytes; bytes < end; bytes += sizeof(std::uint64_t)) {
    first = NextEight(first, bytes);
    second = NextEight(second, bytes + kPartBytes);
    third = NextEight(third, bytes + 2 * kPartBytes);
  }
  const std::uint32_t both =
      BehindPart(static_cast<std::uint32_t>(first)) ^ static_cast<std::uint32_t>(second);
  return BehindPart(both) ^ static_cast<std::uint32_t>(third);
}

// Eight bytes an instruction; what is left over goes by the table.
__attribute__((target("sse4.2"))) std::uint32_t ByInstruction(std::string_view bytes,
                                                              std::uint32_t remainder) {
  for (; bytes.size() >= 3 * kPartBytes; bytes.remove_prefix(3 * kPartBytes)) {
    remainder = OfThreeParts(bytes.data(), remainder);
  }
  std::uint64_t wide = remainder;
  for (; bytes.size() >= sizeof(wide); bytes.remove_prefix(sizeof(wide))) {
    wide = NextEight(wide, bytes.data());
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
