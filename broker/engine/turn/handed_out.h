// HandedOut: a followed message that a turn hands out, until that is durable.
//
// A plain value of its turn, in the order of its changes; made by NoteHandedOut, used by
// DeliveryTraces.
#pragma once

#include <optional>

#include "broker/core/changes/shelf.h"
#include "broker/trace/span.h"
#include "storage/base/ids.h"
#include "storage/base/time.h"

namespace wharf {

struct HandedOut {
  LaneId lane;
  SequenceNumber number;
  // Its delivery, which is open.
  trace::Span span;
  // Since when it had waited; absent: it was handed out before, or waited for nobody.
  std::optional<Timestamp> waited_since{};
};

}  // namespace wharf
