// OtlpJson: spans as a request of OTLP, an ExportTraceServiceRequest in JSON.
//
// Names and attributes are those of OpenTelemetry's conventions for messaging; the settlement has
// the name that they have for Service Bus. Pure but for the ids that it draws; for the Exporter.
#pragma once

#include <string>
#include <vector>

#include "broker/trace/span.h"
#include "storage/base/random.h"

namespace wharf::trace {

// On one line, without its end.
std::string ToOtlp(const std::vector<Span>& spans, const std::string& version, Random& random);

}  // namespace wharf::trace
