// How long a message rests after a failed delivery.

#include "broker/doors/common/field_error.h"
#include "broker/doors/grpc/convert/convert.h"

namespace wharf {
namespace {

Result<Backoff> BackoffFromProto(v1::RetryPolicy::Backoff proto) {
  switch (proto) {
    case v1::RetryPolicy::BACKOFF_UNSPECIFIED:
    case v1::RetryPolicy::BACKOFF_FIXED:
      return Backoff::kFixed;
    case v1::RetryPolicy::BACKOFF_LINEAR:
      return Backoff::kLinear;
    case v1::RetryPolicy::BACKOFF_EXPONENTIAL:
      return Backoff::kExponential;
    default:
      return BadValue("retry_policy.backoff", "is unknown");
  }
}

v1::RetryPolicy::Backoff ToProto(Backoff backoff) {
  switch (backoff) {
    case Backoff::kFixed:
      return v1::RetryPolicy::BACKOFF_FIXED;
    case Backoff::kLinear:
      return v1::RetryPolicy::BACKOFF_LINEAR;
    case Backoff::kExponential:
      return v1::RetryPolicy::BACKOFF_EXPONENTIAL;
  }
  return v1::RetryPolicy::BACKOFF_UNSPECIFIED;
}

}  // namespace

Result<RetryPolicy> FromProto(const v1::RetryPolicy& proto) {
  RetryPolicy policy;
  const Result<Backoff> backoff = BackoffFromProto(proto.backoff());
  if (!backoff.ok()) return backoff.status();
  policy.backoff = *backoff;
  if (proto.has_base()) {
    const Result<Duration> base = DurationFromProto("retry_policy.base", proto.base());
    if (!base.ok()) return base.status();
    policy.base = *base;
  }
  if (proto.has_cap()) {
    const Result<Duration> cap = DurationFromProto("retry_policy.cap", proto.cap());
    if (!cap.ok()) return cap.status();
    policy.cap = *cap;
  }
  policy.jitter = proto.jitter();
  return policy;
}

void ToProto(const RetryPolicy& policy, v1::RetryPolicy* proto) {
  proto->set_backoff(ToProto(policy.backoff));
  ToProto(policy.base, proto->mutable_base());
  ToProto(policy.cap, proto->mutable_cap());
  proto->set_jitter(policy.jitter);
}

}  // namespace wharf
