#include "storage/base/duration_text.h"

#include <charconv>
#include <cstdint>
#include <span>

#include <fmt/core.h>

namespace wharf {
namespace {

constexpr std::size_t kFractionDigitsMax = 12;

struct Unit {
  std::string_view name;
  std::int64_t microseconds;
};

// The larger before the smaller; equal ones have several names, and the first is the one we write.
constexpr Unit kUnits[] = {
    {"w", 604'800'000'000}, {"d", 86'400'000'000}, {"h", 3'600'000'000}, {"m", 60'000'000},
    {"min", 60'000'000},    {"s", 1'000'000},      {"ms", 1'000},        {"us", 1},
};

Status NotADuration(std::string_view text) {
  return {ErrorCode::kArgumentError,
          fmt::format("\"{}\" is not a duration; write for example 250ms, 30s, 5m or 1h30m", text)};
}

Status TooLong(std::string_view text) {
  return {ErrorCode::kArgumentError,
          fmt::format("the duration \"{}\" is too long; there are at most {}, 10,000 years", text,
                      FormatDuration(kDurationMax))};
}

// Takes what begins with one of these letters, up to the next digit, from the front of `rest`.
std::string_view TakeUntilDigit(std::string_view& rest) {
  const std::string_view name = rest.substr(0, rest.find_first_of("0123456789"));
  rest.remove_prefix(name.size());
  return name;
}

std::string_view TakeDigits(std::string_view& rest) {
  const std::string_view digits = rest.substr(0, rest.find_first_not_of("0123456789"));
  rest.remove_prefix(digits.size());
  return digits;
}

// The unit of this name; `units` becomes what may follow it.
const Unit* FindUnit(std::span<const Unit>& units, std::string_view name) {
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (units[i].name != name) continue;
    const Unit* unit = &units[i];
    while (!units.empty() && units.front().microseconds >= unit->microseconds) {
      units = units.subspan(1);
    }
    return unit;
  }
  return nullptr;
}

// Of a unit, by the digits behind the point; what is less than a microsecond is left out.
std::int64_t FractionOf(const Unit& unit, std::string_view digits) {
  std::int64_t fraction = 0;
  std::int64_t part = unit.microseconds;
  for (const char digit : digits.substr(0, kFractionDigitsMax)) {
    // Exact, as every unit that is large is a multiple of a power of ten.
    fraction += part * (digit - '0') / 10;
    part /= 10;
  }
  return fraction;
}

// Adds "1.5h" from the front of `rest` to `total`.
Status TakePart(std::string_view text, std::string_view& rest, std::span<const Unit>& units,
                std::int64_t& total) {
  const std::string_view digits = TakeDigits(rest);
  const bool has_point = rest.starts_with('.');
  if (has_point) rest.remove_prefix(1);
  const std::string_view fraction = has_point ? TakeDigits(rest) : std::string_view();
  if (digits.empty() || (has_point && fraction.empty())) return NotADuration(text);
  const Unit* unit = FindUnit(units, TakeUntilDigit(rest));
  // Only the last part may be broken: what would 1.5h30m be?
  if (unit == nullptr || (has_point && !rest.empty())) return NotADuration(text);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || __builtin_mul_overflow(number, unit->microseconds, &number) ||
      __builtin_add_overflow(number, FractionOf(*unit, fraction), &number) ||
      __builtin_add_overflow(total, number, &total) || total > kDurationMax.count()) {
    return TooLong(text);
  }
  return Status::Ok();
}

}  // namespace

Result<Duration> ParseDuration(std::string_view text) {
  std::int64_t total = 0;
  std::string_view rest = text;
  std::span<const Unit> units(kUnits);
  if (rest.empty()) return NotADuration(text);
  while (!rest.empty()) WHARF_RETURN_IF_ERROR(TakePart(text, rest, units, total));
  return Duration(total);
}

std::string FormatDuration(Duration duration) {
  std::string text;
  std::int64_t rest = duration.count();
  for (const Unit& unit : kUnits) {
    // Weeks are read, but days are what everybody counts in.
    if (rest < unit.microseconds || unit.name == "w") continue;
    text += fmt::format("{}{}", rest / unit.microseconds, unit.name);
    rest %= unit.microseconds;
  }
  return text.empty() ? "0s" : text;
}

std::string RoundedDuration(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} us", seconds * 1e6);
}

}  // namespace wharf
