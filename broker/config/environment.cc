#include "broker/config/environment.h"

#include <string_view>

#include <absl/strings/escaping.h>
#include <fmt/core.h>

#include "storage/base/nearest_word.h"

namespace wharf::config {
namespace {

constexpr std::string_view kVariablePrefix = "WHARFD_";
constexpr std::size_t kStrangersMax = 10;

std::string_view NameOf(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

const Key* KeyOfVariable(std::string_view name) {
  for (const Key& key : Keys()) {
    if (VariableOf(key) == name) return &key;
  }
  return nullptr;
}

bool IsStrange(std::string_view name) {
  return name.starts_with(kVariablePrefix) && name != kFileVariable &&
         KeyOfVariable(name) == nullptr;
}

std::string SentenceOf(std::string_view name) {
  std::vector<std::string> names = {kFileVariable};
  for (const Key& key : Keys()) names.push_back(VariableOf(key));
  const auto near = Nearest(name, names);
  return fmt::format("the variable {} means nothing to wharfd{}",
                     absl::CHexEscape(std::string(name)),
                     near ? fmt::format("; did you mean {}?", *near) : "");
}

}  // namespace

std::vector<Entry> EntriesOfEnvironment(const char* const* variables) {
  std::vector<Entry> entries;
  for (; *variables != nullptr; ++variables) {
    const std::string_view variable = *variables;
    const std::string_view name = NameOf(variable);
    const Key* const key = KeyOfVariable(name);
    if (key == nullptr || name.size() == variable.size()) continue;
    const std::string text(variable.substr(name.size() + 1));
    entries.push_back({key, ValueOfText(*key, text), std::string(name), std::string(name)});
  }
  return entries;
}

std::vector<std::string> StrangeVariables(const char* const* variables) {
  std::vector<std::string> sentences;
  for (; *variables != nullptr && sentences.size() < kStrangersMax; ++variables) {
    const std::string_view name = NameOf(*variables);
    if (IsStrange(name)) sentences.push_back(SentenceOf(name));
  }
  return sentences;
}

}  // namespace wharf::config
