// SampleSpan: what tests of spans begin with.
#pragma once

#include <chrono>
#include <string>

#include "broker/trace/span.h"

namespace wharf::trace {

inline constexpr char kSampled[] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

inline Span SampleSpan(std::string message_id = "m1") {
  Span span;
  span.parent = *ParseTraceparent(kSampled);
  span.entity = "orders";
  span.message_id = std::move(message_id);
  span.start = Timestamp(std::chrono::seconds(100));
  span.end = Timestamp(std::chrono::seconds(101));
  return span;
}

}  // namespace wharf::trace
