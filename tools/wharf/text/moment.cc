#include "tools/wharf/text/moment.h"

#include <chrono>
#include <ctime>

#include <fmt/core.h>
#include <google/protobuf/util/time_util.h>

#include "storage/base/duration_text.h"

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

// A time without a zone is that of the clock on the wall here.
std::optional<google::protobuf::Timestamp> LocalTime(const std::string& text) {
  for (const char* form :
       {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"}) {
    std::tm local{};
    const char* rest = strptime(text.c_str(), form, &local);
    if (rest == nullptr || *rest != '\0') continue;
    // Whether it is summer time then, the C library knows.
    local.tm_isdst = -1;
    const std::time_t seconds = std::mktime(&local);
    if (seconds == -1 || seconds < TimeUtil::kTimestampMinSeconds) return std::nullopt;
    return TimeUtil::SecondsToTimestamp(seconds);
  }
  return std::nullopt;
}

}  // namespace

Result<Moment> ParseMoment(const std::string& text) {
  Moment moment;
  if (text.starts_with('+') || text.starts_with('-')) {
    const Result<Duration> distance = ParseDuration(text.substr(1));
    if (!distance.ok()) return distance.status();
    moment.from_now = text.starts_with('-') ? -*distance : *distance;
  } else if (const auto local = LocalTime(text)) {
    moment.time = *local;
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

Result<google::protobuf::Timestamp> ResolveFuture(Program& program, const Moment& moment) {
  auto time = Resolve(program, moment);
  if (!time.ok()) return time;
  auto now = Now(program);
  if (!now.ok()) return now;
  if (*time >= *now || moment.from_now == Duration(0)) return time;
  return Status(ErrorCode::kArgumentError,
                fmt::format("the time {} is over; it is {}", TimeUtil::ToString(*time),
                            TimeUtil::ToString(*now)));
}

ExitCode FailTime(Program& program, const Status& status) {
  // The broker was asked for nothing but its time.
  const bool is_ours = status.code() == ErrorCode::kArgumentError;
  return is_ours ? program.FailUsage(status) : program.Fail(status);
}

CLI::Option* AddMomentOption(CLI::App& command, const std::string& name,
                             std::optional<Moment>& moment, const std::string& help) {
  const auto parse = [&moment, name](const std::string& text) {
    const Result<Moment> parsed = ParseMoment(text);
    if (!parsed.ok()) throw CLI::ValidationError(name, parsed.status().message());
    moment = *parsed;
  };
  return command.add_option_function<std::string>(name, parse, help)->type_name("TIME");
}

}  // namespace wharf::tool
