#include "broker/doors/common/trace_header.h"

#include "broker/trace/trace_context.h"

namespace wharf {

TraceId TraceIdOf(std::string_view traceparent) {
  const auto context = trace::ParseTraceparent(traceparent);
  return context ? context->trace_id : TraceId();
}

}  // namespace wharf
