#include "tools/command_line/usage_error.h"

#include <cctype>
#include <optional>
#include <vector>

#include <fmt/core.h>

#include "absl/strings/str_join.h"
#include "storage/base/nearest_word.h"
#include "tools/command_line/command_table.h"

namespace wharf::command_line {
namespace {

constexpr std::size_t kPlacesMax = 3;

std::vector<std::string> WordsOf(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* at = &app; at->get_parent() != nullptr; at = at->get_parent()) {
    words.insert(words.begin(), at->get_name());
  }
  return words;
}

std::string JoinedWith(std::vector<std::string> words, const std::string& last) {
  words.push_back(last);
  return absl::StrJoin(words, " ");
}

// What fitted nowhere, but for the mark behind which everything is an argument.
std::vector<std::string> LeftOver(const CLI::App& program) {
  std::vector<std::string> words = program.remaining(/*recurse=*/true);
  std::erase(words, "--");
  return words;
}

// A number with a dash is an argument.
bool IsOption(const std::string& word) {
  return word.size() > 1 && word.front() == '-' && std::isdigit(word[1]) == 0;
}

// The names of all options that may stand behind the command.
std::vector<std::string> OptionNames(const CLI::App& chosen) {
  std::vector<std::string> names;
  for (const CLI::App* at = &chosen; at != nullptr; at = at->get_parent()) {
    for (const CLI::Option* option : at->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  return names;
}

// "wharf queue".
std::string PathOf(const CLI::App& program, const CLI::App& chosen) {
  std::vector<std::string> words = WordsOf(chosen);
  words.insert(words.begin(), program.get_name());
  return absl::StrJoin(words, " ");
}

std::string UnknownOption(const CLI::App& chosen, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  const std::string about = fmt::format("there is no option '{}'", name);
  if (const auto near = Nearest(name, OptionNames(chosen))) {
    return fmt::format("{}; did you mean '{}'?", about, *near);
  }
  return fmt::format("{}; put -- before arguments that begin with a dash", about);
}

// Where else in the program a command of this name is.
void FindPlaces(const Command& command, const std::string& name, std::vector<std::string>& found) {
  for (const Command& below : command.commands) {
    if (below.name() == name && found.size() < kPlacesMax) {
      found.push_back(absl::StrJoin(below.path.begin() + 1, below.path.end(), " "));
    }
    FindPlaces(below, name, found);
  }
}

std::string UnknownCommand(const CLI::App& program, const CLI::App& chosen,
                           const std::string& word) {
  const std::vector<std::string> words = WordsOf(chosen);
  const std::string about = fmt::format("there is no command '{}'", JoinedWith(words, word));
  std::vector<std::string> names;
  for (const CLI::App* below : chosen.get_subcommands({})) names.push_back(below->get_name());
  if (const auto near = Nearest(word, names)) {
    return fmt::format("{}; did you mean '{}'?", about, JoinedWith(words, *near));
  }
  std::vector<std::string> places;
  FindPlaces(Describe(program), word, places);
  if (!places.empty()) {
    return fmt::format("{}; did you mean '{}'?", about, absl::StrJoin(places, "' or '"));
  }
  return fmt::format("{}; '{} --help' lists what there is", about, PathOf(program, chosen));
}

std::string UsageOf(const CLI::App& program, const CLI::App& chosen) {
  const Command table = Describe(program);
  return UsageText(*Find(table, WordsOf(chosen)));
}

// Of what the parser noticed, what came first in the mind of the writer.
std::string AboutLeftOver(const CLI::App& program, const CLI::App& chosen,
                          const std::vector<std::string>& left) {
  for (const std::string& word : left) {
    if (IsOption(word)) return UnknownOption(chosen, word);
  }
  if (!chosen.get_subcommands({}).empty()) return UnknownCommand(program, chosen, left.front());
  return fmt::format("'{}' is one argument too many; usage: {}", left.front(),
                     UsageOf(program, chosen));
}

std::string NameOf(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(/*positional=*/true);
  return option.get_lnames().empty() ? option.get_name() : "--" + option.get_lnames().front();
}

std::string AboutMissing(const CLI::App& program, const CLI::App& chosen) {
  for (const CLI::Option* option : chosen.get_options()) {
    if (!option->get_required() || option->count() > 0) continue;
    return fmt::format("{} is missing; usage: {}", NameOf(*option), UsageOf(program, chosen));
  }
  return fmt::format("a command is missing; usage: {}", UsageOf(program, chosen));
}

std::optional<std::string> AboutExclusion(const CLI::App& chosen) {
  for (const CLI::Option* option : chosen.get_options()) {
    for (const CLI::Option* other : option->get_excludes()) {
      if (option->count() == 0 || other->count() == 0) continue;
      return fmt::format("{} and {} exclude each other", NameOf(*option), NameOf(*other));
    }
  }
  return std::nullopt;
}

std::optional<std::string> AboutNeed(const CLI::App& chosen) {
  for (const CLI::Option* option : chosen.get_options()) {
    for (const CLI::Option* other : option->get_needs()) {
      if (option->count() == 0 || other->count() > 0) continue;
      return fmt::format("{} means something only with {}", NameOf(*option), NameOf(*other));
    }
  }
  return std::nullopt;
}

// The option that the parser names in its text: "--max-size" is not "--max".
const CLI::Option* OptionNamedIn(const CLI::App& chosen, const std::string& text) {
  const CLI::Option* named = nullptr;
  for (const CLI::App* at = &chosen; at != nullptr; at = at->get_parent()) {
    for (const CLI::Option* option : at->get_options()) {
      const bool is_there = text.find(option->get_name()) != std::string::npos;
      const bool is_longer =
          named == nullptr || option->get_name().size() > named->get_name().size();
      if (is_there && is_longer) named = option;
    }
  }
  return named;
}

std::string AboutValues(const CLI::App& chosen, const CLI::ParseError& error) {
  const CLI::Option* option = OptionNamedIn(chosen, error.what());
  if (option == nullptr) return error.what();
  if (option->get_items_expected_max() == 0) {
    return fmt::format("{} takes no value", NameOf(*option));
  }
  if (option->count() > 1) return fmt::format("{} is given more than once", NameOf(*option));
  return fmt::format("{} needs a value: {} {}", NameOf(*option), NameOf(*option),
                     option->get_type_name());
}

bool IsAboutValues(const CLI::ParseError& error) {
  return dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr ||
         dynamic_cast<const CLI::ConversionError*>(&error) != nullptr;
}

bool IsAboutWords(const CLI::ParseError& error) {
  return dynamic_cast<const CLI::RequiredError*>(&error) != nullptr ||
         dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
}

}  // namespace

const CLI::App& ChosenCommand(const CLI::App& program) {
  const CLI::App* at = &program;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

bool IsBare(const CLI::App& program, const CLI::ParseError& error) {
  return dynamic_cast<const CLI::RequiredError*>(&error) != nullptr &&
         !ChosenCommand(program).get_subcommands({}).empty() && LeftOver(program).empty();
}

std::string UsageSentence(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App& chosen = ChosenCommand(program);
  if (IsAboutWords(error)) {
    const std::vector<std::string> left = LeftOver(program);
    return left.empty() ? AboutMissing(program, chosen) : AboutLeftOver(program, chosen, left);
  }
  if (IsAboutValues(error)) return AboutValues(chosen, error);
  if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) {
    return AboutExclusion(chosen).value_or(error.what());
  }
  if (dynamic_cast<const CLI::RequiresError*>(&error) != nullptr) {
    return AboutNeed(chosen).value_or(error.what());
  }
  // What our own checks say.
  return error.what();
}

}  // namespace wharf::command_line
