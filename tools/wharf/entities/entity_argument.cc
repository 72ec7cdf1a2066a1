#include "tools/wharf/entities/entity_argument.h"

#include "absl/strings/ascii.h"

namespace wharf::tool {
namespace {

const std::string kDeadLetterEnd = "/$DeadLetterQueue";

}  // namespace

CLI::Option* AddSourceArgument(CLI::App& command, std::string& path) {
  return command
      .add_option("ENTITY", path,
                  "A queue, or a subscription as TOPIC/Subscriptions/NAME; with /$DeadLetterQueue "
                  "behind it, its dead-letter queue")
      ->required();
}

CLI::Option* AddTargetArgument(CLI::App& command, std::string& path) {
  return command.add_option("ENTITY", path, "A queue or a topic")->required();
}

CLI::Option* AddDeadLetterFlag(CLI::App& command, bool& is_dead_letter, const std::string& help) {
  return command.add_flag("--dead-letter", is_dead_letter, help);
}

// Paths are the same in upper and in lower case.
bool IsDeadLetterPath(const std::string& path) {
  return absl::AsciiStrToLower(path).ends_with(absl::AsciiStrToLower(kDeadLetterEnd));
}

std::string DeadLetterPath(const std::string& path) {
  return IsDeadLetterPath(path) ? path : path + kDeadLetterEnd;
}

std::string EntityOf(const std::string& path) {
  return IsDeadLetterPath(path) ? path.substr(0, path.size() - kDeadLetterEnd.size()) : path;
}

}  // namespace wharf::tool
