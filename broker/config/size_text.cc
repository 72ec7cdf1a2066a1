#include "broker/config/size_text.h"

#include <charconv>

#include <fmt/core.h>

namespace wharf::config {
namespace {

struct SizeUnit {
  std::string_view name;
  std::uint64_t bytes;
};

constexpr SizeUnit kSizeUnits[] = {
    {"TiB", 1ULL << 40}, {"GiB", 1ULL << 30}, {"MiB", 1ULL << 20}, {"KiB", 1ULL << 10}, {"B", 1},
};

}  // namespace

std::optional<std::uint64_t> ParseSize(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc()) return std::nullopt;
  const std::string_view name(rest, static_cast<std::size_t>(end - rest));
  for (const SizeUnit& unit : kSizeUnits) {
    if (unit.name != name) continue;
    if (__builtin_mul_overflow(number, unit.bytes, &number)) return std::nullopt;
    return number;
  }
  return std::nullopt;
}

std::string FormatSize(std::uint64_t bytes) {
  for (const SizeUnit& unit : kSizeUnits) {
    if (bytes >= unit.bytes && bytes % unit.bytes == 0) {
      return fmt::format("{}{}", bytes / unit.bytes, unit.name);
    }
  }
  return "0B";
}

}  // namespace wharf::config
