// TraceHeader: which trace a call belongs to, as its client says: by the header `traceparent` of
// W3C Trace Context, over gRPC the metadata of that name. A pure function.
#pragma once

#include <string_view>

#include "broker/requests/caller.h"

namespace wharf {

// In lower case, as it is on the wire of gRPC; over HTTP it may have any.
inline constexpr char kTraceHeader[] = "traceparent";

// Of its value; none if that breaks the rules.
TraceId TraceIdOf(std::string_view traceparent);

}  // namespace wharf
