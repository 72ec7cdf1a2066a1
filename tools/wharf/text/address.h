// Address: where a broker listens, as "host:port", or the path of a Unix socket, as "unix:/path".
//
// A broker of several nodes has several. Checked before anything is connected. Pure functions, but
// for the look-up of a name.
#pragma once

#include <string>

#include "storage/base/status.h"

namespace wharf::tool {

// ArgumentError with one sentence that says what is wrong and how it is right. The host is a name,
// "127.0.0.1" or "[::1]", the port 1 to 65535.
Status CheckAddress(const std::string& address);

// The same of several, with commas between them.
Status CheckAddresses(const std::string& addresses);
// Whether the host of a good address is known at all: asks the name service.
bool HasKnownHost(const std::string& address);
// Whether what is sent to a good address stays on this machine: a Unix socket, localhost, or an
// address of loopback. No name but localhost is looked up.
bool IsLoopback(const std::string& address);
// "[::1]" of "[::1]:5680".
std::string HostOf(const std::string& address);

}  // namespace wharf::tool
