#include "broker/doors/grpc/convert/convert_time.h"

#include "broker/doors/common/field_error.h"
#include "broker/doors/grpc/convert/convert.h"

namespace wharf {
namespace {

constexpr std::int64_t kMicrosPerSecond = 1000000;
constexpr std::int64_t kNanosPerMicro = 1000;
// The range of google.protobuf.Timestamp and Duration.
constexpr std::int64_t kFirstSecond = -62135596800;
constexpr std::int64_t kLastSecond = 253402300799;
constexpr std::int64_t kDurationSecondsMax = 315576000000;
constexpr std::int32_t kNanosMax = 999999999;

}  // namespace

bool IsValid(const google::protobuf::Timestamp& time) {
  return time.seconds() >= kFirstSecond && time.seconds() <= kLastSecond && time.nanos() >= 0 &&
         time.nanos() <= kNanosMax;
}

bool IsValid(const google::protobuf::Duration& span) {
  const bool has_one_sign =
      span.seconds() == 0 || span.nanos() == 0 || (span.seconds() < 0) == (span.nanos() < 0);
  return span.seconds() >= -kDurationSecondsMax && span.seconds() <= kDurationSecondsMax &&
         span.nanos() >= -kNanosMax && span.nanos() <= kNanosMax && has_one_sign;
}

Result<Timestamp> TimeFromProto(std::string_view field, const google::protobuf::Timestamp& proto) {
  if (!IsValid(proto)) return OutOfRange(field, "is not a time between the years 1 and 9999");
  return Timestamp(Duration(proto.seconds() * kMicrosPerSecond + proto.nanos() / kNanosPerMicro));
}

Result<Duration> DurationFromProto(std::string_view field,
                                   const google::protobuf::Duration& proto) {
  if (!IsValid(proto)) return OutOfRange(field, "is not a duration within 10,000 years");
  // A span shorter than a microsecond is still more, or less, than nothing.
  const std::int64_t rounding = proto.nanos() > 0 ? kNanosPerMicro - 1 : 1 - kNanosPerMicro;
  const std::int64_t micros = proto.nanos() == 0 ? 0 : (proto.nanos() + rounding) / kNanosPerMicro;
  return Duration(proto.seconds() * kMicrosPerSecond + micros);
}

void ToProto(Timestamp time, google::protobuf::Timestamp* proto) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  proto->set_seconds(seconds.time_since_epoch().count());
  proto->set_nanos(static_cast<std::int32_t>((time - seconds).count() * kNanosPerMicro));
}

void ToProto(Duration span, google::protobuf::Duration* proto) {
  proto->set_seconds(span.count() / kMicrosPerSecond);
  proto->set_nanos(static_cast<std::int32_t>(span.count() % kMicrosPerSecond * kNanosPerMicro));
}

}  // namespace wharf
