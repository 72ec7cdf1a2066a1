// ExitCode: what `wharf` tells the script that called it.
#pragma once

#include <string_view>

namespace wharf::tool {

enum class ExitCode : int {
  kOk = 0,
  kFailed = 1,
  kUsage = 2,
  kNotReachable = 3,
  kTooFew = 4,
  kUnknown = 5,
  kDiffers = 6,
  kInterrupted = 130,
};

inline constexpr std::string_view kExitCodesHelp =
    "Exit codes:\n"
    "  0    everything was done\n"
    "  1    the broker refused the request, or some of its items; or the answer to a question was "
    "no, or the output could not be written; or check found what does not agree\n"
    "  2    bad usage: nothing was done; of input that is read line by line, nothing from the line "
    "on that is named\n"
    "  3    no broker can be reached at the address, or it is stopping, or no node that leads is "
    "found\n"
    "  4    fewer messages than --expect asked for\n"
    "  5    the connection broke or the broker failed: what was under way may or may not be done\n"
    "  6    definitions diff found a difference\n"
    "  130  send was interrupted before the end of its input; what was read is told\n"
    "\n"
    "Errors are one sentence on stderr, led by the broker's reason, e.g. MessagingEntityNotFound; "
    "with --json an object: {\"error\": reason, \"message\": sentence, \"outcome\": \"not-done\" "
    "or "
    "\"unknown\"}.";

}  // namespace wharf::tool
