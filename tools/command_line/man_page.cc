#include "tools/command_line/man_page.h"

#include <string>
#include <vector>

#include <fmt/core.h>

#include "absl/strings/ascii.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "tools/command_line/help_text.h"

namespace wharf::command_line {
namespace {

constexpr std::size_t kNotesWidth = 72;

// Nothing in the text is taken for a request.
std::string Masked(const std::string& text) {
  std::string masked = absl::StrReplaceAll(text, {{"\\", "\\e"}, {"-", "\\-"}, {"\"", "\\(dq"}});
  const bool begins_a_request = masked.starts_with('.') || masked.starts_with('\'');
  return begins_a_request ? "\\&" + masked : masked;
}

std::string Paragraph(const std::string& syntax, const std::string& help) {
  return fmt::format(".TP\n.B {}\n{}\n", Masked(syntax), Masked(help));
}

std::string OptionParagraphs(const Command& command) {
  std::string text;
  for (const Option& option : command.options) {
    if (option.long_name() == "--help") continue;
    text += Paragraph(SyntaxOf(option), FullHelpOf(option));
  }
  return text;
}

// The commands that do something; the others only lead to them.
std::string CommandSections(const Command& command) {
  std::string text;
  for (const Command& below : command.commands) text += CommandSections(below);
  if (!command.commands.empty()) return text;
  text += fmt::format(".SS \"{}\"\n{}\n", Masked(UsageText(command)), Masked(command.help));
  for (const Argument& argument : command.arguments)
    text += Paragraph(argument.name, argument.help);
  return text + OptionParagraphs(command);
}

// Its lines and columns stay as they are, in what a page of a manual is wide.
std::string NotesSection(const std::string& notes) {
  if (notes.empty()) return "";
  std::string text = ".SH NOTES\n.nf\n";
  const std::string wrapped = Wrap(notes, kNotesWidth, 0, 0);
  const std::vector<std::string> lines = absl::StrSplit(wrapped, '\n');
  for (const std::string& line : lines) text += Masked(line) + "\n";
  return text + ".fi\n";
}

}  // namespace

std::string ManPage(const Command& program, const ManPageTitle& title) {
  std::string text =
      fmt::format(".TH {} {} \"\" \"{} {}\" \"Wharf\"\n", absl::AsciiStrToUpper(program.name()),
                  title.section, program.name(), title.version);
  text += fmt::format(".SH NAME\n{} \\- {}\n", program.name(), Masked(program.help));
  text += fmt::format(".SH SYNOPSIS\n{}\n", Masked(UsageText(program)));
  text += ".SH OPTIONS\n" + OptionParagraphs(program);
  if (!program.commands.empty()) text += ".SH COMMANDS\n" + CommandSections(program);
  return text + NotesSection(program.footer);
}

}  // namespace wharf::command_line
