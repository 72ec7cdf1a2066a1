#include "tools/wharf/duration_text.h"

#include <charconv>
#include <cstdint>
#include <span>

#include <fmt/core.h>

namespace wharf::tool {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t microseconds;
};

constexpr Unit kUnits[] = {
    {"d", 86'400'000'000}, {"h", 3'600'000'000}, {"m", 60'000'000},
    {"s", 1'000'000},      {"ms", 1'000},        {"us", 1},
};

Status NotADuration(std::string_view text) {
  return {ErrorCode::kArgumentError,
          fmt::format("\"{}\" is not a duration; write for example 250ms, 30s, 5m or 1h30m", text)};
}

Status TooLong(std::string_view text) {
  return {ErrorCode::kArgumentError, fmt::format("the duration \"{}\" is too long", text)};
}

// Takes the letters of a unit from the front of `rest`.
std::string_view TakeUnitName(std::string_view& rest) {
  const std::string_view name = rest.substr(0, rest.find_first_of("0123456789"));
  rest.remove_prefix(name.size());
  return name;
}

// The unit of this name; `units` becomes what may follow it.
const Unit* FindUnit(std::span<const Unit>& units, std::string_view name) {
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (units[i].name != name) continue;
    const Unit* unit = &units[i];
    units = units.subspan(i + 1);
    return unit;
  }
  return nullptr;
}

}  // namespace

Result<Duration> ParseDuration(std::string_view text) {
  std::int64_t total = 0;
  std::string_view rest = text;
  std::span<const Unit> units(kUnits);
  if (rest.empty()) return NotADuration(text);
  while (!rest.empty()) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error == std::errc::result_out_of_range) return TooLong(text);
    if (error != std::errc()) return NotADuration(text);
    rest.remove_prefix(end - rest.data());
    const Unit* unit = FindUnit(units, TakeUnitName(rest));
    if (unit == nullptr) return NotADuration(text);
    std::int64_t span = 0;
    if (__builtin_mul_overflow(number, unit->microseconds, &span) ||
        __builtin_add_overflow(total, span, &total)) {
      return TooLong(text);
    }
  }
  return Duration(total);
}

std::string FormatDuration(Duration duration) {
  std::string text;
  std::int64_t rest = duration.count();
  for (const Unit& unit : kUnits) {
    if (rest < unit.microseconds) continue;
    text += fmt::format("{}{}", rest / unit.microseconds, unit.name);
    rest %= unit.microseconds;
  }
  return text.empty() ? "0s" : text;
}

}  // namespace wharf::tool
