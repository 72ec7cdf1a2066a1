#include "broker/core/entities/retry_policy.h"

#include <algorithm>
#include <cmath>

namespace wharf {
namespace {

double FactorOf(Backoff backoff, std::uint32_t attempt) {
  switch (backoff) {
    case Backoff::kFixed:
      return 1;
    case Backoff::kLinear:
      return attempt;
    case Backoff::kExponential:
      return std::exp2(std::min<std::uint32_t>(attempt - 1, 64));
  }
  return 1;
}

// From 0 to 1.
double Fraction(Random& random) {
  constexpr int kBits = 53;
  return std::ldexp(static_cast<double>(random.Next() >> (64 - kBits)), -kBits);
}

}  // namespace

Duration RetryPolicy::WaitAfter(std::uint32_t attempt, Random& random) const {
  const double grown = static_cast<double>(base.count()) * FactorOf(backoff, attempt);
  double wait = std::min(grown, static_cast<double>(cap.count()));
  if (jitter > 0) wait += wait * jitter * (2 * Fraction(random) - 1);
  return std::min(Duration(std::llround(wait)), kDelayMax);
}

Status CheckRetryPolicy(const RetryPolicy& policy) {
  const auto out_of_range = [](const char* text) {
    return Status(ErrorCode::kArgumentOutOfRange, text);
  };
  if (policy.base <= Duration(0) || policy.base > kDelayMax) {
    return out_of_range("retry_policy.base must be more than zero and at most 7 days");
  }
  if (policy.cap < policy.base || policy.cap > kDelayMax) {
    return out_of_range("retry_policy.cap must be from retry_policy.base to 7 days");
  }
  // Written so that NaN is refused too.
  if (!(policy.jitter >= 0 && policy.jitter <= 1)) {
    return out_of_range("retry_policy.jitter must be from 0 to 1");
  }
  return {};
}

}  // namespace wharf
