// Remains: what a purged lane or a deleted entity leaves to be reclaimed, as far as its counters
// tell.
//
// A plain value: from the Queue before it is purged or deleted, to the reclaimer.
#pragma once

#include <cstdint>

namespace wharf {

struct Remains {
  std::int64_t messages = 0;
  // It is known that no row names another one: no message has a body in rows of its own, and none
  // is scheduled. So all of them can go by ranges, and none has to be read before.
  bool can_go_unread = false;
};

}  // namespace wharf
