// PrintCluster: how a cluster does, as text for 80 columns: the node that was asked, a table of
// all, why one is not there, the log, and last what one more dead node would mean. Used by `wharf
// cluster status`.
#pragma once

#include "tools/wharf/terminal/output.h"
#include "wharf/v1/cluster.pb.h"

namespace wharf::tool {

void PrintCluster(Output& out, const v1::ClusterStatus& status);

}  // namespace wharf::tool
