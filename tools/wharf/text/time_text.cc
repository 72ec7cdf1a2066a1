#include "tools/wharf/text/time_text.h"

#include <cmath>

#include <fmt/core.h>
#include <google/protobuf/util/time_util.h>

namespace wharf::tool {
namespace {

using google::protobuf::util::TimeUtil;

constexpr double kNanosPerSecond = 1e9;

}  // namespace

std::string TimeText(const google::protobuf::Timestamp& time, TimeDigits digits) {
  google::protobuf::Timestamp shown = time;
  if (digits == TimeDigits::kToTheSecond) shown.set_nanos(0);
  return TimeUtil::ToString(shown);
}

Json SecondsToJson(const google::protobuf::Duration& duration) {
  if (duration.nanos() == 0) return duration.seconds();
  const Json number = static_cast<double>(duration.seconds()) + duration.nanos() / kNanosPerSecond;
  const auto back = SecondsFromJson(number);
  const bool is_exact =
      back.ok() && back->seconds() == duration.seconds() && back->nanos() == duration.nanos();
  return is_exact ? number : Json(TimeUtil::ToString(duration));
}

Result<google::protobuf::Duration> SecondsFromJson(const Json& number) {
  const auto seconds = number.get<double>();
  if (!(std::abs(seconds) <= static_cast<double>(TimeUtil::kDurationMaxSeconds))) {
    return Status(ErrorCode::kArgumentError,
                  fmt::format("{} seconds are more than 10000 years", ToLine(number)));
  }
  google::protobuf::Duration duration;
  duration.set_seconds(static_cast<std::int64_t>(seconds));
  // Rounded: 1.1 - 1 is not quite 0.1.
  const double fraction = seconds - static_cast<double>(duration.seconds());
  duration.set_nanos(static_cast<std::int32_t>(std::lround(fraction * kNanosPerSecond)));
  if (std::abs(duration.nanos()) == static_cast<std::int32_t>(kNanosPerSecond)) {
    duration.set_seconds(duration.seconds() + (duration.nanos() > 0 ? 1 : -1));
    duration.set_nanos(0);
  }
  return duration;
}

}  // namespace wharf::tool
