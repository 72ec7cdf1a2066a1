// What a CorrelationFilter (broker/core/entities/rule.h) may be. A topic that has many asks a
// CorrelationIndex.
#pragma once

#include "broker/core/entities/rule.h"
#include "storage/base/status.h"

namespace wharf {

// FilterException if nothing is set (COR-2), if an application property has no name or no value, or
// if two names differ in their case only (COR-7).
Status Check(const CorrelationFilter& filter);

}  // namespace wharf
