// Service manager: systemd, or whoever started wharfd and wants to know when it serves. Used by
// main.cc.
#pragma once

#include <string>

namespace wharf {

// Clients may come from now on; `status` is shown by `systemctl status`. Does nothing if nobody
// asked ($NOTIFY_SOCKET), as the next one.
void TellReady(const std::string& status);
void TellStopping();

}  // namespace wharf
