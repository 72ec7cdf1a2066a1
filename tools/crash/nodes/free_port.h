// FreePort: a port of this machine that nobody listens at, and that no connection gets by itself.
// Among all that test here it is that of this process until its end.
//
// Plain function, of one thread.
#pragma once

#include <cstdint>

namespace wharf::crash {

// Below those that outgoing connections are given, so that a daemon that was killed finds it free
// again. 0: none was found.
std::uint16_t FindFreePort();

}  // namespace wharf::crash
