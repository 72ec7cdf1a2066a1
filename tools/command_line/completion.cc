#include "tools/command_line/completion.h"

#include <algorithm>
#include <functional>
#include <vector>

#include <fmt/core.h>

#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace wharf::command_line {
namespace {

using Visit = std::function<void(const Command&)>;

void ForEach(const Command& command, const Visit& visit) {
  visit(command);
  for (const Command& below : command.commands) ForEach(below, visit);
}

// The beginning of a help text, as long as a remark beside a word may be.
std::string RemarkOf(std::string help) {
  constexpr std::size_t kRemarkBytesMax = 72;
  help = help.substr(0, std::min({help.find("; "), help.find(". "), help.find('\n')}));
  if (help.size() <= kRemarkBytesMax) return help;
  help = help.substr(0, kRemarkBytesMax);
  return help.substr(0, help.rfind(' ')) + " ...";
}

// In single quotes, as bash and zsh read them.
std::string Quoted(const std::string& text) {
  return "'" + absl::StrReplaceAll(text, {{"'", R"('\'')"}}) + "'";
}

std::string FishQuoted(const std::string& text) {
  return "'" + absl::StrReplaceAll(text, {{"\\", R"(\\)"}, {"'", R"(\')"}}) + "'";
}

// Every command but the program itself, as alternatives of a `case`.
std::string AllPaths(const Command& program) {
  std::vector<std::string> paths;
  ForEach(program, [&](const Command& command) {
    if (&command != &program) paths.push_back(Quoted(PathText(command)));
  });
  return absl::StrJoin(paths, " | ");
}

// What may be written at once behind a command: what is below it, or what its arguments choose
// from.
std::vector<std::string> WordsBehind(const Command& command) {
  std::vector<std::string> words;
  for (const Command& below : command.commands) words.push_back(below.name());
  for (const Argument& argument : command.arguments) {
    for (const std::string& choice : ChoicesOf(argument.value)) words.push_back(choice);
  }
  return words;
}

std::vector<std::string> NamesOfOptions(const Command& command) {
  std::vector<std::string> names;
  for (const Option& option : command.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

// The alternatives of a `case` for an option of a command with one of its names before the cursor.
std::string CasesOf(const Command& command, const Option& option) {
  std::vector<std::string> cases;
  for (const std::string& name : option.names) {
    cases.push_back(Quoted(PathText(command) + " " + name));
  }
  return absl::StrJoin(cases, " | ");
}

// The options of the program itself may stand behind every command.
Command WithCommonOptions(const Command& program, const Command& command) {
  Command whole = command;
  if (&program == &command) return whole;
  for (const Option& option : program.options) {
    const std::vector<std::string> names = NamesOfOptions(command);
    const bool is_known = std::find(names.begin(), names.end(), option.long_name()) != names.end();
    if (!is_known) whole.options.push_back(option);
  }
  return whole;
}

// Lines for each value that an option takes: `choose` with its choices, `file`, or `other`.
std::string ValueCases(const Command& program, const std::string& choose, const std::string& file,
                       const std::string& other) {
  std::string text;
  ForEach(program, [&](const Command& command) {
    for (const Option& option : WithCommonOptions(program, command).options) {
      if (option.value.empty()) continue;
      const auto choices = ChoicesOf(option.value);
      const std::string& how = !choices.empty() ? choose : option.value == "FILE" ? file : other;
      text += fmt::format("    {}) {} ;;\n", CasesOf(command, option),
                          absl::StrReplaceAll(how, {{"@", absl::StrJoin(choices, " ")}}));
    }
  });
  return text;
}

const std::string kBash = R"(# bash completion of @name@, made by: @name@ completion bash
_@name@() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local at=@name@ words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at ${COMP_WORDS[i]}" in
    @paths@) at="$at ${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $previous" in
@values@    *)
      case "$at" in
@words@      esac
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -F _@name@ @name@
)";

std::string BashScript(const Command& program) {
  std::string words;
  ForEach(program, [&](const Command& command) {
    const Command whole = WithCommonOptions(program, command);
    words += fmt::format(
        "      {})\n"
        "        if [[ $current == -* ]]; then words={}; else words={}; fi\n"
        "        ;;\n",
        Quoted(PathText(command)), Quoted(absl::StrJoin(NamesOfOptions(whole), " ")),
        Quoted(absl::StrJoin(WordsBehind(command), " ")));
  });
  return absl::StrReplaceAll(
      kBash,
      {{"@name@", program.name()},
       {"@paths@", AllPaths(program)},
       {"@values@",
        ValueCases(program, "words='@'",
                   "mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); return", "return")},
       {"@words@", words}});
}

const std::string kZsh = R"(#compdef @name@
# zsh completion of @name@, made by: @name@ completion zsh
_@name@() {
  local at=@name@ word
  local -a below options
  for word in "${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
    @paths@) at+=" $word" ;;
    esac
  done
  case "$at ${words[CURRENT-1]}" in
@values@  esac
  case "$at" in
@words@  esac
  if [[ ${words[CURRENT]} == -* ]]; then
    _describe -o option options
  else
    _describe command below
  fi
}
if [[ ${funcstack[1]} == _@name@ ]]; then
  _@name@ "$@"
else
  compdef _@name@ @name@
fi
)";

// "word:remark", with the colons of the word masked.
std::string Described(const std::string& word, const std::string& remark) {
  return Quoted(absl::StrReplaceAll(word, {{":", "\\:"}}) + ":" + remark);
}

std::string ZshWords(const Command& program, const Command& command) {
  std::vector<std::string> below;
  for (const Command& each : command.commands) {
    below.push_back(Described(each.name(), RemarkOf(each.help)));
  }
  for (const Argument& argument : command.arguments) {
    for (const std::string& choice : ChoicesOf(argument.value)) {
      below.push_back(Described(choice, ""));
    }
  }
  std::vector<std::string> options;
  for (const Option& option : WithCommonOptions(program, command).options) {
    for (const std::string& name : option.names) {
      options.push_back(Described(name, RemarkOf(option.help)));
    }
  }
  return fmt::format("    {})\n      below=({})\n      options=({})\n      ;;\n",
                     Quoted(PathText(command)), absl::StrJoin(below, " "),
                     absl::StrJoin(options, " "));
}

std::string ZshScript(const Command& program) {
  std::string words;
  ForEach(program, [&](const Command& command) { words += ZshWords(program, command); });
  return absl::StrReplaceAll(
      kZsh, {{"@name@", program.name()},
             {"@paths@", AllPaths(program)},
             {"@values@", ValueCases(program, "compadd -- @; return", "_files; return", "return")},
             {"@words@", words}});
}

const std::string kFish = R"(# fish completion of @name@, made by: @name@ completion fish
function __@name@_at
  set -l at @name@
  for word in (commandline -opc)[2..-1]
    if contains -- "$at $word" @paths@
      set at "$at $word"
    end
  end
  test "$at" = "$argv"
end
complete -c @name@ -f
)";

std::string FishOption(const std::string& begin, const Option& option) {
  std::string line = begin;
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  const auto choices = ChoicesOf(option.value);
  if (option.value == "FILE") {
    line += " -r -F";
  } else if (!choices.empty()) {
    line += " -x -a " + FishQuoted(absl::StrJoin(choices, " "));
  } else if (!option.value.empty()) {
    line += " -x";
  }
  return line + " -d " + FishQuoted(RemarkOf(option.help)) + "\n";
}

std::string FishLines(const Command& program, const Command& command) {
  const std::string begin =
      fmt::format("complete -c {} -n {}", program.name(),
                  FishQuoted("__" + program.name() + "_at " + PathText(command)));
  std::string lines;
  for (const Command& below : command.commands) {
    lines += fmt::format("{} -a {} -d {}\n", begin, FishQuoted(below.name()),
                         FishQuoted(RemarkOf(below.help)));
  }
  for (const Argument& argument : command.arguments) {
    const auto choices = ChoicesOf(argument.value);
    if (choices.empty()) continue;
    lines += fmt::format("{} -a {}\n", begin, FishQuoted(absl::StrJoin(choices, " ")));
  }
  for (const Option& option : WithCommonOptions(program, command).options) {
    lines += FishOption(begin, option);
  }
  return lines;
}

std::string FishScript(const Command& program) {
  std::string script = absl::StrReplaceAll(
      kFish, {{"@name@", program.name()},
              {"@paths@", absl::StrReplaceAll(AllPaths(program), {{" | ", " "}})}});
  ForEach(program, [&](const Command& command) { script += FishLines(program, command); });
  return script;
}

}  // namespace

std::optional<Shell> ShellNamed(std::string_view name) {
  if (name == "bash") return Shell::kBash;
  if (name == "zsh") return Shell::kZsh;
  if (name == "fish") return Shell::kFish;
  return std::nullopt;
}

std::string CompletionScript(Shell shell, const Command& program) {
  switch (shell) {
    case Shell::kBash:
      return BashScript(program);
    case Shell::kZsh:
      return ZshScript(program);
    case Shell::kFish:
      break;
  }
  return FishScript(program);
}

}  // namespace wharf::command_line
