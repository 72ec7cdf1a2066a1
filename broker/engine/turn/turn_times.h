// TurnTimes: when a turn was on its way to the disk, and when it was back, so that whoever asked in
// it can tell where the time went.
//
// By SteadyNow. Written before anybody of the turn hears; shared by it and by those.
#pragma once

#include "storage/base/time.h"

namespace wharf {

struct TurnTimes {
  // Planned as a whole; zero: not yet.
  Duration appended{};
  // Durable, or known not to become so.
  Duration committed{};
};

}  // namespace wharf
