// ChoiceOption: one of a few words on the command line.
//
// The words stand in the help and in the completion. Used on the main thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace wharf::tool {

// `take` gets the word that was chosen. As a positional argument, too.
CLI::Option* AddChoiceFunction(CLI::App& command, const std::string& name,
                               const std::vector<std::string>& words,
                               const std::function<void(const std::string&)>& take,
                               const std::string& help);

// `values` by their words; `value` stays as it is if nothing is said.
template <typename Value>
CLI::Option* AddChoiceOption(CLI::App& command, const std::string& name,
                             const std::map<std::string, Value>& values, Value& value,
                             const std::string& help) {
  std::vector<std::string> words;
  words.reserve(values.size());
  for (const auto& [word, meaning] : values) words.push_back(word);
  const auto take = [values, &value](const std::string& word) { value = values.at(word); };
  return AddChoiceFunction(command, name, words, take, help);
}

}  // namespace wharf::tool
