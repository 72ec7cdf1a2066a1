#include "tools/wharf/moment.h"

#include <chrono>

#include <fmt/core.h>
#include <google/protobuf/util/time_util.h>

#include "tools/wharf/duration_text.h"

namespace wharf::tool {
namespace {

using google::protobuf::util::TimeUtil;

Result<google::protobuf::Timestamp> Now(Program& program) {
  const auto asked = program.client().clock().Get();
  if (asked.ok()) return asked->time();
  if (asked.status().code() != ErrorCode::kInvalidOperation) return asked.status();
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return TimeUtil::MicrosecondsToTimestamp(std::chrono::duration_cast<Duration>(now).count());
}

Status BadMoment(const std::string& text) {
  return {
      ErrorCode::kArgumentError,
      fmt::format("\"{}\" is not a time; write for example 2026-01-31T12:00:00Z, or +30s", text)};
}

}  // namespace

Result<Moment> ParseMoment(const std::string& text) {
  Moment moment;
  if (text.starts_with('+') || text.starts_with('-')) {
    const Result<Duration> distance = ParseDuration(text.substr(1));
    if (!distance.ok()) return distance.status();
    moment.from_now = text.starts_with('-') ? -*distance : *distance;
  } else if (!TimeUtil::FromString(text, &moment.time)) {
    return BadMoment(text);
  }
  return moment;
}

Result<google::protobuf::Timestamp> Resolve(Program& program, const Moment& moment) {
  if (!moment.from_now) return moment.time;
  const auto now = Now(program);
  if (!now.ok()) return now.status();
  std::int64_t micros = 0;
  const bool is_beyond = __builtin_add_overflow(TimeUtil::TimestampToMicroseconds(*now),
                                                moment.from_now->count(), &micros);
  const std::int64_t seconds = micros / 1000000;
  if (is_beyond || seconds < TimeUtil::kTimestampMinSeconds ||
      seconds >= TimeUtil::kTimestampMaxSeconds) {
    return Status(ErrorCode::kArgumentError, "the time is not between the years 1 and 9999");
  }
  return TimeUtil::MicrosecondsToTimestamp(micros);
}

CLI::Option* AddMomentOption(CLI::App& command, const std::string& name,
                             std::optional<Moment>& moment, const std::string& help) {
  const auto parse = [&moment](const std::string& text) {
    const Result<Moment> parsed = ParseMoment(text);
    if (!parsed.ok()) throw CLI::ValidationError(parsed.status().message());
    moment = *parsed;
  };
  return command.add_option_function<std::string>(name, parse, help)->type_name("TIME");
}

}  // namespace wharf::tool
