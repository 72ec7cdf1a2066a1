// ClusterMetrics: what /metrics tells of the cluster that a node belongs to, or waits for. A pure
// function.
#pragma once

#include "broker/doors/http/metric_text.h"
#include "broker/requests/cluster_control.h"

namespace wharf {

void Write(const ClusterStatus& status, MetricText& text);

}  // namespace wharf
