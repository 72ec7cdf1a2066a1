// TraceContext: which trace a message belongs to, by the rules of W3C Trace Context.
//
//   traceparent = version "-" trace-id "-" parent-id "-" flags   of 2, 32, 16 and 2 digits
//
// Digits are hexadecimal, in lower case. Read from the application properties of a message, which
// stay what they are (OTH-4); a value that breaks the rules is none. Pure functions; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "broker/core/messages/property_value.h"

namespace wharf::trace {

// The names of application properties; the last one is that of older SDKs of Service Bus, and has
// the same form.
inline constexpr std::string_view kTraceparent = "traceparent";
inline constexpr std::string_view kTracestate = "tracestate";
inline constexpr std::string_view kDiagnosticId = "Diagnostic-Id";

// A longer tracestate is left out, as the rules allow.
inline constexpr std::size_t kTracestateBytesMax = 512;

struct TraceContext {
  std::array<std::uint8_t, 16> trace_id{};
  // Of the span that the sender was in.
  std::array<std::uint8_t, 8> span_id{};
  // Whether the sender records this trace.
  bool is_sampled = false;
  // As it was sent; empty: none.
  std::string state{};
  friend bool operator==(const TraceContext&, const TraceContext&) = default;
};

// Looks at the first 56 bytes only, however long the text is.
std::optional<TraceContext> ParseTraceparent(std::string_view text);

// Of the properties of a message; a good traceparent goes before a Diagnostic-Id.
std::optional<TraceContext> ContextOf(const PropertyMap& properties);

}  // namespace wharf::trace
