// EntityArgument: the entity on the command line, by its path.
//
// One place says what a path may be, so that every command takes and explains the same. Used on the
// main thread.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace wharf::tool {

// Where messages are received from: a queue, a subscription, or the dead-letter queue of one.
CLI::Option* AddSourceArgument(CLI::App& command, std::string& path);
// Where messages are sent to: a queue or a topic.
CLI::Option* AddTargetArgument(CLI::App& command, std::string& path);
// The flag that stands for "/$DeadLetterQueue" behind the path; `help` says what it does here.
CLI::Option* AddDeadLetterFlag(CLI::App& command, bool& is_dead_letter, const std::string& help);

// Whether it leads to the dead-letter queue of an entity.
bool IsDeadLetterPath(const std::string& path);
// The path of an entity's dead-letter queue; `path` may be that already.
std::string DeadLetterPath(const std::string& path);
// The entity that a path, or that of its dead-letter queue, leads to.
std::string EntityOf(const std::string& path);

}  // namespace wharf::tool
