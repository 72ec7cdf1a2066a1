#include "tools/wharf/text/number_list.h"

#include <string>
#include <vector>

#include "tools/wharf/text/number_option.h"

namespace wharf::tool {

CLI::Option* AddNumbersOption(CLI::App& command, const std::string& name, Numbers& numbers,
                              const std::string& help) {
  const auto take = [&numbers, name](const std::vector<std::string>& texts) {
    numbers.Clear();
    for (const std::string& text : texts) {
      const Result<std::uint64_t> number = ParseNumber(text, RangeOf<std::int64_t>());
      if (!number.ok()) throw CLI::ValidationError(name, number.status().message());
      numbers.Add(static_cast<std::int64_t>(*number));
    }
  };
  CLI::Option* option = command.add_option_function<std::vector<std::string>>(name, take, help)
                            ->delimiter(',')
                            ->type_name("NUMBER");
  // What follows an option's numbers, without a comma, is the next argument.
  if (!option->get_positional()) option->type_size(1)->allow_extra_args(false);
  return option;
}

}  // namespace wharf::tool
