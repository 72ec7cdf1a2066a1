#include "tools/command_line/arguments.h"

#include <algorithm>

namespace wharf::command_line {

std::vector<std::string> ReversedArguments(int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  bool has_options = true;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--") has_options = false;
    const bool is_empty_value = has_options && argument.size() > 3 && argument.starts_with("--") &&
                                argument.find('=') == argument.size() - 1;
    if (is_empty_value) argument.pop_back();
    arguments.push_back(std::move(argument));
    if (is_empty_value) arguments.emplace_back();
  }
  std::reverse(arguments.begin(), arguments.end());
  return arguments;
}

}  // namespace wharf::command_line
