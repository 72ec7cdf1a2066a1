// Pace: how much slower the machine is just now than the one that limits in seconds were set on.
#pragma once

namespace wharf::crash {

// 1 on that machine and on faster ones, 10 where the same work takes ten times as long: on a slow
// processor, or one that the host gives to others. Takes some 20 ms, on one thread.
double MeasureSlowness();

}  // namespace wharf::crash
