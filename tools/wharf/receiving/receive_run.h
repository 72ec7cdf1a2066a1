// What `wharf receive` does with the next messages of a queue: gets, prints and settles them.
//
// Used on the main thread.
#pragma once

#include <cstdint>
#include <string>

#include "tools/wharf/program.h"
#include "tools/wharf/receiving/handover.h"
#include "tools/wharf/receiving/receive_session_options.h"

namespace wharf::tool {

struct ReceiveRunOptions {
  std::string path;
  HandoverOptions handover;
  GivenSession session;
  // 0: no limit.
  std::uint64_t messages_max = 1;
  Duration wait = std::chrono::seconds(1);
  // Until interrupted: also when the broker goes away for a while.
  bool follows = false;
  std::uint64_t expected = 0;
};

ExitCode RunReceive(Program& program, const ReceiveRunOptions& options);

}  // namespace wharf::tool
