// PeekChoice: the options that say which messages are looked at: by state, session, filter and
// number.
//
// Used by the commands that look at messages, on the main thread.
#pragma once

#include <CLI/CLI.hpp>

#include "wharf/v1/messaging.pb.h"

namespace wharf::tool {

// What the options say ends up in `request`, which outlives the command.
void AddPeekChoice(CLI::App& command, v1::PeekRequest& request);

}  // namespace wharf::tool
