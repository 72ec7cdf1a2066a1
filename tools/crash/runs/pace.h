// Pace: how much slower the machine is just now than the one that limits in seconds were set on.
#pragma once

#include "storage/base/time.h"

namespace wharf::crash {

// 1 on that machine and on faster ones, 10 where the same work takes ten times as long: on a slow
// processor, or one that the host gives to others. Takes some 20 ms, on one thread.
double MeasureSlowness();

// For how long a leader may be silent that works so slowly: as usual, and ten times that at most.
Duration ElectionTimeoutAt(double slowness);

}  // namespace wharf::crash
