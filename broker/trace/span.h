// Span: a part of a message's way through the broker, as it is told to who collects traces.
//
// A plain record; made by the engine, written as JSON by the Exporter. Its id is drawn there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "broker/trace/trace_context.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf::trace {

enum class SpanKind : std::uint8_t {
  kSend,      // From the admitted request to its answer, which is behind its commit.
  kWait,      // From when the message came to the entity to the turn that handed it out first.
  kDelivery,  // From that turn to the turn in which its lock ended, however it did.
};

struct Span {
  SpanKind kind = SpanKind::kSend;
  // What the message said; the parent of this span.
  TraceContext parent{};
  // The path of the entity, as of a caller.
  std::string entity{};
  // Empty: the message has none.
  std::string message_id{};
  // By the broker's clock.
  Timestamp start{};
  Timestamp end{};
  // How a delivery was settled, "complete"; a literal, empty: it was not, or it is none.
  std::string_view disposition{};
  // Why it failed; kOk: it did not.
  ErrorCode error = ErrorCode::kOk;
  std::string error_message{};
};

// What it holds of memory, about.
std::size_t BytesOf(const Span& span);

}  // namespace wharf::trace
