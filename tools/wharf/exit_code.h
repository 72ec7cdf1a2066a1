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
};

inline constexpr std::string_view kExitCodesHelp =
    "Exit codes:\n"
    "  0  everything was done\n"
    "  1  the broker refused the request, or some of its items\n"
    "  2  bad usage: an option, a body or a line of JSON; nothing behind it was sent\n"
    "  3  no broker can be reached at the address, or it is stopping\n"
    "  4  fewer messages than --expect asked for\n"
    "  5  the connection broke or the broker failed: what was under way may or may not be done\n"
    "\n"
    "Errors are one sentence on stderr, led by the reason, e.g. MessagingEntityNotFound.";

}  // namespace wharf::tool
