#include "broker/doors/http/rest/http_time.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>

#include <absl/strings/ascii.h>
#include <fmt/format.h>

namespace wharf::rest {
namespace {

using std::chrono::days;
using std::chrono::seconds;
using std::chrono::sys_days;

constexpr std::array<std::string_view, 7> kWeekdays = {"Sun", "Mon", "Tue", "Wed",
                                                       "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::int64_t kDaySeconds = 24 * 3600;
constexpr std::int64_t kMicros = 1'000'000;

// Reads a text from its beginning, or fails and stays failed.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : rest_(text) {}

  bool is_done() const { return is_good_ && rest_.empty(); }
  bool is_good() const { return is_good_; }

  void Skip(std::string_view literal) {
    is_good_ = is_good_ && rest_.starts_with(literal);
    if (is_good_) rest_.remove_prefix(literal.size());
  }
  bool SkipIf(std::string_view literal) {
    const bool is_there = is_good_ && rest_.starts_with(literal);
    if (is_there) rest_.remove_prefix(literal.size());
    return is_there;
  }
  // Exactly so many.
  std::int64_t Digits(std::size_t count) {
    std::size_t digits = 0;
    while (digits < rest_.size() && digits < count && IsDigit(rest_[digits])) ++digits;
    is_good_ = is_good_ && digits == count;
    return is_good_ ? Take(digits) : 0;
  }
  // One at least, and at most so many.
  std::int64_t Number(std::size_t count_max) {
    std::size_t digits = 0;
    while (digits < rest_.size() && IsDigit(rest_[digits])) ++digits;
    is_good_ = is_good_ && digits > 0 && digits <= count_max;
    return is_good_ ? Take(digits) : 0;
  }
  // Behind a point; 0 if there is none.
  std::int64_t MicrosOfFraction() {
    if (!SkipIf(".")) return 0;
    std::int64_t micros = 0;
    std::int64_t unit = kMicros / 10;
    std::size_t digits = 0;
    for (; digits < rest_.size() && IsDigit(rest_[digits]); ++digits, unit /= 10) {
      micros += (rest_[digits] - '0') * unit;
    }
    is_good_ = is_good_ && digits > 0 && digits <= 9;
    if (is_good_) rest_.remove_prefix(digits);
    return micros;
  }
  template <std::size_t kCount>
  unsigned OneOf(const std::array<std::string_view, kCount>& words) {
    for (unsigned i = 0; i < kCount; ++i) {
      if (SkipIf(words[i])) return i;
    }
    is_good_ = false;
    return 0;
  }
  // Whether the next digits end in this.
  bool HasAhead(char end) const {
    std::size_t digits = 0;
    while (digits < rest_.size() && IsDigit(rest_[digits])) ++digits;
    return digits < rest_.size() && rest_[digits] == end;
  }

 private:
  static bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }
  std::int64_t Take(std::size_t digits) {
    std::int64_t number = 0;
    std::from_chars(rest_.data(), rest_.data() + digits, number);
    rest_.remove_prefix(digits);
    return number;
  }

  std::string_view rest_;
  bool is_good_ = true;
};

// Seconds of the day.
std::int64_t ClockTime(TimeReader& reader) {
  const std::int64_t hours = reader.Digits(2);
  reader.Skip(":");
  const std::int64_t minutes = reader.Digits(2);
  reader.Skip(":");
  const std::int64_t second = reader.Digits(2);
  const bool is_time = hours < 24 && minutes < 60 && second < 60;
  if (!is_time) reader.Skip("none");
  return hours * 3600 + minutes * 60 + second;
}

std::optional<std::int64_t> DayOf(std::int64_t year, unsigned month, std::int64_t day) {
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year)),
                                         std::chrono::month(month),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return sys_days(date).time_since_epoch().count() * kDaySeconds;
}

std::optional<Timestamp> IsoTimeFrom(std::string_view text) {
  TimeReader reader(text);
  const std::int64_t year = reader.Digits(4);
  reader.Skip("-");
  const std::int64_t month = reader.Digits(2);
  reader.Skip("-");
  const std::int64_t day = reader.Digits(2);
  reader.Skip("T");
  const std::int64_t clock = ClockTime(reader);
  const std::int64_t micros = reader.MicrosOfFraction();
  if (!reader.SkipIf("Z")) reader.SkipIf("+00:00");
  const auto date = DayOf(year, static_cast<unsigned>(month), day);
  if (!reader.is_done() || !date) return std::nullopt;
  return Timestamp(Duration((*date + clock) * kMicros + micros));
}

}  // namespace

std::string HttpTime(std::int64_t total) {
  const std::int64_t day = total >= 0 ? total / kDaySeconds : -((-total - 1) / kDaySeconds) - 1;
  const std::int64_t clock = total - day * kDaySeconds;
  const sys_days date{days(static_cast<int>(day))};
  const std::chrono::year_month_day parts(date);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                     kWeekdays[std::chrono::weekday(date).c_encoding()],
                     static_cast<unsigned>(parts.day()),
                     kMonths[static_cast<unsigned>(parts.month()) - 1],
                     static_cast<int>(parts.year()), clock / 3600, clock / 60 % 60, clock % 60);
}

std::string HttpTime(Timestamp time) {
  return HttpTime(std::chrono::floor<seconds>(time).time_since_epoch().count());
}

std::optional<std::int64_t> HttpTimeFrom(std::string_view text) {
  TimeReader reader(text);
  static_cast<void>(reader.OneOf(kWeekdays));
  reader.Skip(", ");
  const std::int64_t day = reader.Digits(2);
  reader.Skip(" ");
  const unsigned month = reader.OneOf(kMonths) + 1;
  reader.Skip(" ");
  const std::int64_t year = reader.Digits(4);
  reader.Skip(" ");
  const std::int64_t clock = ClockTime(reader);
  reader.Skip(" GMT");
  reader.SkipIf("+0000");
  const auto date = reader.is_good() ? DayOf(year, month, day) : std::nullopt;
  if (!reader.is_done() || !date) return std::nullopt;
  return *date + clock;
}

std::optional<Timestamp> InstantFrom(std::string_view text) {
  const auto whole = HttpTimeFrom(text);
  return whole ? Timestamp(seconds(*whole)) : IsoTimeFrom(text);
}

std::string TimeSpanText(const TimeSpan& span) {
  const bool is_negative = span.length.seconds < 0 || span.length.nanos < 0;
  const auto whole = static_cast<std::uint64_t>(std::abs(span.length.seconds));
  const int nanos = std::abs(span.length.nanos);
  std::string text = is_negative ? "-" : "";
  if (whole >= kDaySeconds) text += fmt::format("{}.", whole / kDaySeconds);
  text += fmt::format("{:02}:{:02}:{:02}", whole / 3600 % 24, whole / 60 % 60, whole % 60);
  if (nanos > 0) text += fmt::format(".{:07}", nanos / 100);
  return text;
}

std::optional<Duration> TimeSpanFrom(std::string_view text) {
  TimeReader reader(text);
  const bool is_negative = reader.SkipIf("-");
  std::int64_t whole = 0;
  if (reader.HasAhead('.')) {
    whole = reader.Number(8) * kDaySeconds;
    reader.Skip(".");
  }
  whole += ClockTime(reader);
  const std::int64_t micros = reader.MicrosOfFraction();
  if (!reader.is_done()) return std::nullopt;
  const Duration length(whole * kMicros + micros);
  return is_negative ? -length : length;
}

}  // namespace wharf::rest
