#include "tools/wharf/text/choice_option.h"

#include <algorithm>

#include <fmt/core.h>

#include "absl/strings/str_join.h"

namespace wharf::tool {

CLI::Option* AddChoiceFunction(CLI::App& command, const std::string& name,
                               const std::vector<std::string>& words,
                               const std::function<void(const std::string&)>& take,
                               const std::string& help) {
  const std::string told = name.substr(0, name.find(','));
  const auto choose = [take, told, words](const std::string& word) {
    if (std::find(words.begin(), words.end(), word) == words.end()) {
      throw CLI::ValidationError(told, fmt::format("there is no \"{}\"; choose one of {}", word,
                                                   absl::StrJoin(words, ", ")));
    }
    take(word);
  };
  return command.add_option_function<std::string>(name, choose, help)
      ->type_name(absl::StrJoin(words, "|"));
}

}  // namespace wharf::tool
