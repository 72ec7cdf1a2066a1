// BringUp: makes there what a Config.json wants, by the requests that any client could ask.
//
// Called by the daemon on the main thread, when the broker plans and no client has come yet.
#pragma once

#include "broker/emulator/wanted.h"
#include "broker/requests/requests.h"
#include "storage/base/status.h"

namespace wharf::emulator {

// All of it is durable when it returns. An error says where in the file it lies; what cannot be
// done is found before anything is, but for what only the broker knows (its limits). Then the
// steps before are done, and the next start goes on.
Status BringUp(const Wanted& wanted, Requests& broker);

}  // namespace wharf::emulator
