#include "broker/doors/http/atom/xml_time.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>

#include <fmt/core.h>

#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "broker/doors/common/field_error.h"
#include "broker/doors/http/atom/xml_tree.h"

namespace wharf::atom {
namespace {

constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;
// Of kNeverText, whole ones. Clients round what stands behind the point.
constexpr std::int64_t kNeverSeconds = 10675199 * kDay + 2 * kHour + 48 * kMinute + 5;
constexpr std::int32_t kSecond = 1'000'000'000;

// A number of digits at the beginning of the text, which goes on behind it; nothing: there is none,
// or it is beyond all use.
std::optional<std::int64_t> TakeNumber(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0 || text.front() == '-') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// What stands behind a point, in nanoseconds; more digits are dropped.
std::optional<std::int32_t> TakeFraction(std::string_view& text) {
  std::int32_t nanos = 0;
  std::int32_t unit = kSecond;
  std::size_t digits = 0;
  for (; digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits])) != 0;
       ++digits) {
    unit /= 10;
    nanos += (text[digits] - '0') * unit;
  }
  if (digits == 0) return std::nullopt;
  text.remove_prefix(digits);
  return nanos;
}

struct Unit {
  char letter;
  std::int64_t seconds;
};
constexpr std::array<Unit, 3> kDateUnits{{{'Y', 365 * kDay}, {'M', 30 * kDay}, {'D', kDay}}};
constexpr std::array<Unit, 3> kTimeUnits{{{'H', kHour}, {'M', kMinute}, {'S', 1}}};

// Adds what stands there in these units, each once and in their order.
template <std::size_t kCount>
bool AddUnits(std::string_view& text, const std::array<Unit, kCount>& units, bool has_fraction,
              Nanotime& span) {
  auto next = units.begin();
  bool is_any = false;
  while (!text.empty() && text.front() != 'T') {
    const std::optional<std::int64_t> number = TakeNumber(text);
    if (!number || text.empty()) return false;
    std::optional<std::int32_t> nanos;
    if (has_fraction && text.front() == '.') {
      text.remove_prefix(1);
      nanos = TakeFraction(text);
      if (!nanos || text.empty() || text.front() != 'S') return false;
    }
    next = std::find_if(next, units.end(),
                        [&](const Unit& unit) { return unit.letter == text.front(); });
    if (next == units.end()) return false;
    if (*number > kNeverSeconds / next->seconds) return false;
    span.seconds += *number * next->seconds;
    span.nanos = nanos.value_or(0);
    if (span.seconds > kNeverSeconds) return false;
    text.remove_prefix(1);
    ++next;
    is_any = true;
  }
  return is_any;
}

std::string FractionOf(std::int32_t nanos) {
  if (nanos == 0) return {};
  std::string digits = fmt::format(".{:09}", nanos);
  digits.erase(digits.find_last_not_of('0') + 1);
  return digits;
}

// The offset from UTC at the end of an instant, in seconds.
std::optional<std::int64_t> OffsetOf(std::string_view text) {
  if (text.empty() || text == "Z" || text == "z") return 0;
  const char sign = text.front();
  if ((sign != '+' && sign != '-') || text.size() != 6 || text[3] != ':') return std::nullopt;
  std::string_view hours = text.substr(1, 2);
  std::string_view minutes = text.substr(4, 2);
  const auto h = TakeNumber(hours);
  const auto m = TakeNumber(minutes);
  if (!h || !m || !hours.empty() || !minutes.empty() || *h > 14 || *m > 59) return std::nullopt;
  const std::int64_t offset = *h * kHour + *m * kMinute;
  return sign == '-' ? -offset : offset;
}

}  // namespace

std::optional<Nanotime> SpanFromXml(std::string_view text) {
  text = Trimmed(text);
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  if (!text.starts_with('P')) return std::nullopt;
  text.remove_prefix(1);
  Nanotime span;
  const bool has_date = !text.empty() && text.front() != 'T';
  if (has_date && !AddUnits(text, kDateUnits, /*has_fraction=*/false, span)) return std::nullopt;
  if (!text.empty()) {
    text.remove_prefix(1);
    if (!AddUnits(text, kTimeUnits, /*has_fraction=*/true, span)) return std::nullopt;
  } else if (!has_date) {
    return std::nullopt;
  }
  if (!text.empty()) return std::nullopt;
  return is_negative ? Nanotime{-span.seconds, -span.nanos} : span;
}

std::string SpanToXml(const Nanotime& span) {
  const bool is_negative = span.seconds < 0 || span.nanos < 0;
  std::int64_t left = is_negative ? -span.seconds : span.seconds;
  const std::int32_t nanos = is_negative ? -span.nanos : span.nanos;
  std::string date = is_negative ? "-P" : "P";
  if (left >= kDay) date += fmt::format("{}D", left / kDay);
  left %= kDay;
  std::string time;
  if (left >= kHour) time += fmt::format("{}H", left / kHour);
  left %= kHour;
  if (left >= kMinute) time += fmt::format("{}M", left / kMinute);
  left %= kMinute;
  if (left > 0 || nanos > 0) time += fmt::format("{}{}S", left, FractionOf(nanos));
  if (!time.empty()) return date + 'T' + time;
  return span == Nanotime() ? "PT0S" : date;
}

Result<Duration> DurationFromXml(std::string_view field, std::string_view text) {
  const std::optional<Nanotime> span = SpanFromXml(text);
  if (!span) return BadValue(field, "is no duration, as PT1M, or is longer than any may be");
  if (span->seconds < 0 || span->nanos < 0) return OutOfRange(field, "is negative");
  if (span->seconds >= kNeverSeconds) return kUnlimited;
  return Duration(std::chrono::seconds(span->seconds)) + Duration(span->nanos / 1000);
}

std::string DurationToXml(Duration duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
  if (seconds.count() >= kNeverSeconds) return std::string(kNeverText);
  const auto rest = static_cast<std::int32_t>((duration - seconds).count());
  return SpanToXml({seconds.count(), rest * 1000});
}

std::optional<Nanotime> InstantFromXml(std::string_view text) {
  text = Trimmed(text);
  // 2026-11-26T08:00:00
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:dd";
  if (text.size() < kForm.size()) return std::nullopt;
  std::array<std::int64_t, 6> parts{};
  std::size_t part = 0;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    const bool is_t = kForm[i] == 'T' && (text[i] == 't' || text[i] == ' ');
    if (kForm[i] == 'd' ? !is_digit : text[i] != kForm[i] && !is_t) return std::nullopt;
    if (kForm[i] == 'd') {
      parts[part] = parts[part] * 10 + (text[i] - '0');
    } else {
      ++part;
    }
  }
  text.remove_prefix(kForm.size());
  std::int32_t nanos = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::optional<std::int32_t> fraction = TakeFraction(text);
    if (!fraction) return std::nullopt;
    nanos = *fraction;
  }
  const std::optional<std::int64_t> offset = OffsetOf(text);
  const absl::CivilSecond civil(parts[0], parts[1], parts[2], parts[3], parts[4], parts[5]);
  const bool is_real = civil.year() == parts[0] && civil.month() == parts[1] &&
                       civil.day() == parts[2] && civil.hour() == parts[3] &&
                       civil.minute() == parts[4] && civil.second() == parts[5];
  if (!offset || !is_real || parts[0] == 0) return std::nullopt;
  return Nanotime{absl::ToUnixSeconds(absl::FromCivil(civil, absl::UTCTimeZone())) - *offset,
                  nanos};
}

std::string InstantToXml(const Nanotime& since_epoch) {
  // The years that have four digits.
  constexpr std::int64_t kFirst = -62135596800;
  constexpr std::int64_t kLast = 253402300799;
  const std::int64_t seconds = std::clamp(since_epoch.seconds, kFirst, kLast);
  const absl::CivilSecond civil =
      absl::ToCivilSecond(absl::FromUnixSeconds(seconds), absl::UTCTimeZone());
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}Z", civil.year(), civil.month(),
                     civil.day(), civil.hour(), civil.minute(), civil.second(),
                     FractionOf(since_epoch.nanos));
}

std::string TimeToXml(Timestamp time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return InstantToXml({seconds.time_since_epoch().count(),
                       static_cast<std::int32_t>((time - seconds).count()) * 1000});
}

}  // namespace wharf::atom
