// TraceOf: which trace a request over HTTP says that it belongs to.
#pragma once

#include "broker/doors/common/trace_header.h"
#include "broker/doors/http/exchange.h"

namespace wharf {

inline TraceId TraceOf(const HttpRequest& head) {
  const std::string* const said = FindField(head.fields, kTraceHeader);
  return said == nullptr ? TraceId() : TraceIdOf(*said);
}

}  // namespace wharf
