#include "broker/grpc/page_token.h"

#include <charconv>
#include <cstdint>

#include <fmt/core.h>

#include "broker/grpc/field_error.h"

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

Status BadToken() { return BadValue("page_token", "is none that a page before has given"); }

}  // namespace

std::string PageTokenOf(const ScheduledTime& next) {
  return fmt::format("{}-{}", next.time.time_since_epoch().count(), next.number.value());
}

Result<ScheduledTime> ScheduledTimeFromPageToken(std::string_view token) {
  if (token.empty()) return ScheduledTime{Timestamp::min(), SequenceNumber()};
  std::int64_t micros = 0;
  std::uint64_t number = 0;
  if (!Take(token, micros) || !token.starts_with('-')) return BadToken();
  token.remove_prefix(1);
  if (!Take(token, number) || !token.empty()) return BadToken();
  return ScheduledTime{Timestamp(Duration(micros)), SequenceNumber(number)};
}

std::string PageTokenOf(JobId last) { return std::to_string(last.value()); }

Result<JobId> JobIdFromPageToken(std::string_view token) {
  if (token.empty()) return JobId();
  std::uint64_t id = 0;
  if (!Take(token, id) || !token.empty()) return BadToken();
  return JobId(id);
}

}  // namespace wharf
