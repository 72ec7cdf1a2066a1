#include "tests/scenarios/script.h"

#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/core.h>

namespace wharf {
namespace {

constexpr std::string_view kSeparator = "----";

// Words between spaces; quotes keep spaces together and vanish.
std::vector<std::string> WordsOf(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  bool is_quoted = false;
  for (const char c : line + ' ') {
    if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c != ' ' || is_quoted) {
      word.push_back(c);
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (is_quoted) throw std::runtime_error("a quote is not closed: " + line);
  return words;
}

void AppendLines(std::string& text, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) text += line + '\n';
}

}  // namespace

std::optional<std::string> Command::Find(const std::string& name) const {
  const auto found = arguments.find(name);
  return found == arguments.end() ? std::nullopt : std::optional(found->second);
}

Command ParseCommand(const std::string& line) {
  Command command;
  for (std::string& word : WordsOf(line)) {
    const std::size_t equals = word.find('=');
    if (command.verb.empty()) {
      command.verb = std::move(word);
    } else if (equals != std::string::npos) {
      command.arguments[word.substr(0, equals)] = word.substr(equals + 1);
    } else if (command.path.empty() && command.arguments.empty()) {
      command.path = std::move(word);
    } else {
      command.arguments[std::move(word)];
    }
  }
  if (command.verb.empty()) throw std::runtime_error("an empty command");
  return command;
}

std::vector<ScriptBlock> ParseScript(const std::string& text) {
  std::vector<ScriptBlock> blocks;
  bool is_new = true;
  bool in_expected = false;
  std::istringstream lines(text);
  int number = 1;
  for (std::string line; std::getline(lines, line); ++number) {
    if (line.empty()) {
      if (!is_new && !in_expected && !blocks.back().commands.empty()) {
        throw std::runtime_error(fmt::format("line {}: a block without '----'", number));
      }
      is_new = true;
      in_expected = false;
      continue;
    }
    if (std::exchange(is_new, false)) blocks.emplace_back();
    ScriptBlock& block = blocks.back();
    if (in_expected) {
      block.expected.push_back(line);
    } else if (line == kSeparator) {
      in_expected = true;
    } else if (line.front() == '#' && block.commands.empty()) {
      block.comments.push_back(line);
    } else {
      if (block.commands.empty()) block.line = number;
      block.commands.push_back(line);
    }
  }
  return blocks;
}

std::string ToText(const std::vector<ScriptBlock>& blocks) {
  std::string text;
  for (const ScriptBlock& block : blocks) {
    if (!text.empty()) text += '\n';
    AppendLines(text, block.comments);
    AppendLines(text, block.commands);
    if (block.commands.empty()) continue;
    text.append(kSeparator).push_back('\n');
    AppendLines(text, block.expected);
  }
  return text;
}

}  // namespace wharf
