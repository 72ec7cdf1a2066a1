// LeftOutBody: the body of a message over 1 MiB, which a peek, or a call that receives, leaves out.
//
// Used by `wharf messages export` and `wharf receive --deferred`, on the main thread.
#pragma once

#include <string>

#include "tools/client/client.h"

namespace wharf::tool {

// Of a message of that entity; it is in memory as a whole then. An error: what of it has come is
// with the message, and is not all.
Status ReadLeftOutBody(client::Client& client, const std::string& path,
                       v1::ReceivedMessage& message);

}  // namespace wharf::tool
