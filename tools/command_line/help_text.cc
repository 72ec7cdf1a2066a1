#include "tools/command_line/help_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace wharf::command_line {
namespace {

constexpr std::size_t kReadableWidthMax = 100;
constexpr std::size_t kSyntaxIndent = 2;
constexpr std::size_t kHelpIndentMax = 26;

// What is explained, and how.
using Entry = std::pair<std::string, std::string>;

std::string SyntaxOf(const Argument& argument) {
  return argument.name + (argument.is_repeatable ? "..." : "");
}

std::string FullHelpOf(const Argument& argument) {
  if (argument.value.empty()) return argument.help;
  return fmt::format("{} ({})", argument.help, absl::StrJoin(ChoicesOf(argument.value), ", "));
}

// A choice of many words goes on below its first, where it does not fit a line.
std::string FoldChoices(const std::string& line, std::size_t width) {
  const std::size_t below = line.rfind(' ') + 1;
  std::string text;
  std::size_t at = 0;
  for (const absl::string_view word : absl::StrSplit(line, '|')) {
    const bool is_first = text.empty();
    if (!is_first) text += '|';
    const bool fits = is_first || at + 1 + word.size() + 1 <= width;
    if (!fits) text += '\n' + std::string(below, ' ');
    at = fits ? at + (is_first ? 0 : 1) + word.size() : below + word.size();
    absl::StrAppend(&text, word);
  }
  return text;
}

std::string Section(const std::string& title, const std::vector<Entry>& entries,
                    std::size_t width) {
  if (entries.empty()) return "";
  std::size_t longest = 0;
  for (const auto& [syntax, help] : entries) longest = std::max(longest, syntax.size());
  const std::size_t indent = std::min(kSyntaxIndent + longest + 2, kHelpIndentMax);
  std::string text = fmt::format("\n{}:\n", title);
  for (const auto& [syntax, help] : entries) {
    std::string line = FoldChoices(std::string(kSyntaxIndent, ' ') + syntax, width);
    // What is too long for its column has a line of its own.
    if (line.size() + 2 > indent) line += '\n' + std::string(indent, ' ');
    const std::size_t begun = line.size() - (line.rfind('\n') + 1);
    line.append(indent - std::min(indent, begun), ' ');
    text += line + Wrap(help, width, indent, indent) + "\n";
  }
  return text;
}

template <typename Described>
std::vector<Entry> EntriesOf(const std::vector<Described>& described) {
  std::vector<Entry> entries;
  entries.reserve(described.size());
  for (const Described& each : described) entries.emplace_back(SyntaxOf(each), FullHelpOf(each));
  return entries;
}

std::vector<Entry> EntriesOf(const std::vector<Command>& commands) {
  std::vector<Entry> entries;
  entries.reserve(commands.size());
  for (const Command& command : commands) entries.emplace_back(command.name(), command.help);
  return entries;
}

// Not those that every command has.
std::vector<Option> OwnOptions(const Command& program, const Command& command) {
  if (command.path == program.path) return {};
  std::vector<Option> own;
  for (const Option& option : command.options) {
    const bool is_common =
        std::any_of(program.options.begin(), program.options.end(),
                    [&](const Option& common) { return common.long_name() == option.long_name(); });
    if (!is_common) own.push_back(option);
  }
  return own;
}

// Where the words of a line go on: below its first, or below what an indented word is explained by.
std::size_t HangingIndentOf(const std::string& line) {
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.find("  ", first);
  if (first == 0 || gap == std::string::npos) return first;
  return std::min(line.find_first_not_of(' ', gap), line.size());
}

// A line whose words go on below where they do not fit; what fits stays as it is written.
std::string WrapLine(const std::string& line, std::size_t width, std::size_t indent,
                     std::size_t& at) {
  const std::size_t below = indent + HangingIndentOf(line);
  std::string text;
  for (std::size_t from = 0; from < line.size();) {
    const std::size_t begin = std::min(line.find_first_not_of(' ', from), line.size());
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    const bool fits = from == 0 || at + (end - from) <= width;
    if (!fits) text += '\n' + std::string(below, ' ');
    text += fits ? line.substr(from, end - from) : line.substr(begin, end - begin);
    at = fits ? at + (end - from) : below + (end - begin);
    from = end;
  }
  return text;
}

}  // namespace

std::string SyntaxOf(const Option& option) {
  const std::string names = absl::StrJoin(option.names, ", ");
  return option.value.empty() ? names : names + " " + option.value;
}

std::string FullHelpOf(const Option& option) {
  std::string text = option.help;
  if (!option.default_value.empty() && !option.is_required) {
    text += fmt::format(" (default: {})", option.default_value);
  }
  if (!option.variable.empty()) text += fmt::format(" (or ${})", option.variable);
  return text;
}

std::string Wrap(const std::string& text, std::size_t width, std::size_t indent, std::size_t at) {
  std::string wrapped;
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(text, '\n'))) {
    if (!wrapped.empty()) {
      wrapped += line.empty() ? "\n" : '\n' + std::string(indent, ' ');
      at = indent;
    }
    wrapped += WrapLine(line, width, indent, at);
  }
  return wrapped;
}

std::string HelpText(const Command& program, const Command& command, std::size_t width) {
  width = std::min(width, kReadableWidthMax);
  std::string text = Wrap(command.help, width, 0, 0);
  text += fmt::format("\n\nUsage: {}\n", Wrap(UsageText(command), width, 9, 7));
  text += Section("Commands", EntriesOf(command.commands), width);
  text += Section("Arguments", EntriesOf(command.arguments), width);
  text += Section("Options", EntriesOf(OwnOptions(program, command)), width);
  text += Section(program.commands.empty() ? "Options" : "Options of every command",
                  EntriesOf(program.options), width);
  if (!command.footer.empty()) text += "\n" + Wrap(command.footer, width, 0, 0) + "\n";
  return text;
}

}  // namespace wharf::command_line
