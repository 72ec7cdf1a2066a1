#include "tools/wharf/number_list.h"

#include <vector>

namespace wharf::tool {

CLI::Option* AddNumbersOption(CLI::App& command, const std::string& name, Numbers& numbers,
                              const std::string& help) {
  const auto take = [&numbers](const std::vector<std::int64_t>& given) {
    numbers.Assign(given.begin(), given.end());
  };
  CLI::Option* option = command.add_option_function<std::vector<std::int64_t>>(name, take, help)
                            ->delimiter(',')
                            ->check(CLI::NonNegativeNumber)
                            ->type_name("NUMBER");
  // What follows an option's numbers, without a comma, is the next argument.
  if (!option->get_positional()) option->type_size(1)->allow_extra_args(false);
  return option;
}

}  // namespace wharf::tool
