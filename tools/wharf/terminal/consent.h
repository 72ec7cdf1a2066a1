// Consent: what destroys asks first, where somebody is there to answer.
//
// Only on a terminal: a script has said what it wants, and could not answer. Used by the commands
// that delete, on the main thread.
#pragma once

#include <functional>
#include <string>

#include "tools/wharf/program.h"

namespace wharf::tool {

// --yes.
void AddYesOption(CLI::App& command, bool& is_sure);

// Does the work, at once if that `is_sure` or nobody is there to ask, else if the answer is yes.
// `question` is made only to be asked: "delete the queue orders with 3 messages?". If that fails,
// or the answer is no, nothing is done, and the exit code says so.
ExitCode WithConsent(Program& program, bool is_sure,
                     const std::function<Result<std::string>()>& question,
                     const std::function<ExitCode()>& work);

// What a question says of the messages that would be gone: "12 messages, and 3 in its dead-letter
// queue". `path` is that of a queue or of a subscription, or of the dead-letter queue of one.
Result<std::string> MessagesIn(Program& program, const std::string& path);

}  // namespace wharf::tool
