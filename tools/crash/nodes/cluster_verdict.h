// ClusterVerdict: what a cluster says by itself of whether its nodes hold the same, read by the run
// that asked for it.
//
// Plain functions for any thread.
#pragma once

#include <cstddef>
#include <string>

#include "wharf/v1/cluster.pb.h"

namespace wharf::crash {

// Whether it came to its end, and so many nodes were compared with each other. One that is not
// reached just now is left out, and a leadership that ends is the end of its comparison.
bool IsOfAll(const v1::VerifyStateResponse& said, std::size_t nodes);
// The first row in which they differ, in words; empty: none was found.
std::string DifferenceIn(const v1::VerifyStateResponse& said);

}  // namespace wharf::crash
