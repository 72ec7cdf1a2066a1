#include "broker/doors/common/page_token.h"

#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include <boost/crc.hpp>
#include <fmt/core.h>

#include "broker/doors/common/field_error.h"

namespace wharf {
namespace {

// Takes a number from the front of `text`.
template <typename Number>
bool Take(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

// What is only a text would pass for any other one.
std::string Checked(std::string_view name) {
  boost::crc_32_type checksum;
  checksum.process_bytes(name.data(), name.size());
  return fmt::format("{:08x}-{}", checksum.checksum(), name);
}
constexpr std::size_t kCheckSize = 9;

Status BadToken() { return BadValue("page_token", "is none that a page before has given"); }

// Each as "+number.stand", and a "-" behind them; nothing, if there are none.
constexpr char kFollowedMark = '+';
constexpr std::size_t kFollowedMax = 64;

std::string TextOf(const std::vector<FollowedMessage>& followed) {
  std::string text;
  for (const FollowedMessage& each : followed) {
    text += fmt::format("{}{}.{}", kFollowedMark, each.number.value(),
                        static_cast<unsigned>(each.stand));
  }
  return text.empty() ? text : text + '-';
}

bool TakeFollowed(std::string_view& text, std::vector<FollowedMessage>& followed) {
  while (text.starts_with(kFollowedMark) && followed.size() < kFollowedMax) {
    text.remove_prefix(1);
    std::uint64_t number = 0;
    unsigned stand = 0;
    if (!Take(text, number) || !text.starts_with('.')) return false;
    text.remove_prefix(1);
    if (!Take(text, stand) || stand > static_cast<unsigned>(FollowedMessage::Stand::kGone)) {
      return false;
    }
    followed.push_back({SequenceNumber(number), static_cast<FollowedMessage::Stand>(stand)});
  }
  if (!text.starts_with('-')) return false;
  text.remove_prefix(1);
  return true;
}

// A time and a number.
std::string TokenOf(Timestamp time, SequenceNumber number) {
  return fmt::format("{}-{}", time.time_since_epoch().count(), number.value());
}

Result<ScheduledTime> TimeAndNumberFrom(std::string_view token) {
  if (token.empty()) return ScheduledTime{Timestamp::min(), SequenceNumber()};
  std::int64_t micros = 0;
  std::uint64_t number = 0;
  if (!Take(token, micros) || !token.starts_with('-')) return BadToken();
  token.remove_prefix(1);
  if (!Take(token, number) || !token.empty()) return BadToken();
  return ScheduledTime{Timestamp(Duration(micros)), SequenceNumber(number)};
}

}  // namespace

std::string PageTokenOf(const ScheduledTime& next) { return TokenOf(next.time, next.number); }

Result<ScheduledTime> ScheduledTimeFromPageToken(std::string_view token) {
  return TimeAndNumberFrom(token);
}

std::string PageTokenOf(const LockPlace& last) { return TokenOf(last.until, last.number); }

Result<LockPlace> LockPlaceFromPageToken(std::string_view token) {
  const Result<ScheduledTime> place = TimeAndNumberFrom(token);
  if (!place.ok()) return place.status();
  return LockPlace{place->time, place->number};
}

std::string PageTokenOfName(std::string_view last) { return Checked(last); }

Result<std::string> NameFromPageToken(std::string_view token) {
  if (token.empty()) return std::string();
  if (token.size() <= kCheckSize) return BadToken();
  std::string name(token.substr(kCheckSize));
  if (Checked(name) != token) return BadToken();
  return name;
}

std::string PageTokenOf(const TracePosition& next) {
  return fmt::format("{}-{}-{}{}", static_cast<unsigned>(next.part), next.number.value(),
                     TextOf(next.followed), Checked(next.path));
}

Result<TracePosition> TracePositionFromPageToken(std::string_view token) {
  if (token.empty()) return TracePosition();
  unsigned part = 0;
  std::uint64_t number = 0;
  if (!Take(token, part) || part > static_cast<unsigned>(EntityPart::kEvents)) return BadToken();
  if (!token.starts_with('-')) return BadToken();
  token.remove_prefix(1);
  if (!Take(token, number) || !token.starts_with('-')) return BadToken();
  token.remove_prefix(1);
  std::vector<FollowedMessage> followed;
  if (token.starts_with(kFollowedMark) && !TakeFollowed(token, followed)) return BadToken();
  Result<std::string> path = NameFromPageToken(token);
  if (!path.ok()) return path.status();
  if (path->empty()) return BadToken();
  return TracePosition{*std::move(path), static_cast<EntityPart>(part), SequenceNumber(number),
                       std::move(followed)};
}

std::string PageTokenOf(JobId last) { return std::to_string(last.value()); }

Result<JobId> JobIdFromPageToken(std::string_view token) {
  if (token.empty()) return JobId();
  std::uint64_t id = 0;
  if (!Take(token, id) || !token.empty()) return BadToken();
  return JobId(id);
}

}  // namespace wharf
