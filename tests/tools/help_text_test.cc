#include "tools/command_line/help_text.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/str_split.h"
#include "tests/tools/sample_program.h"

namespace wharf::command_line {
namespace {

std::string Help(const std::vector<std::string>& words, std::size_t width = 80) {
  const SampleProgram sample;
  const Command program = Describe(sample.app);
  return HelpText(program, *Find(program, words), width);
}

TEST(HelpTextTest, ShowsArgumentsAndOptions) {
  EXPECT_EQ(Help({"queue", "create"}),
            "Create a queue\n"
            "\n"
            "Usage: sample queue create NAME [OPTIONS]\n"
            "\n"
            "Arguments:\n"
            "  NAME  Its path\n"
            "\n"
            "Options:\n"
            "  -m, --max NUMBER  At most so many (default: 10)\n"
            "  --soon            Now\n"
            "  --late            Later\n"
            "  --note TEXT       It's a \"note\"\n"
            "  --state on|off    How it begins\n"
            "\n"
            "Options of every command:\n"
            "  -h, --help  Print this help message and exit\n"
            "  --json      Print JSON\n"
            "\n"
            "Exit codes:\n"
            "  0  done\n");
}

TEST(HelpTextTest, ShowsCommands) {
  const std::string help = Help({});

  EXPECT_NE(help.find("Usage: sample COMMAND [OPTIONS]\n"), std::string::npos);
  EXPECT_NE(help.find("Commands:\n  queue  Make and show queues; see topic for topics\n"
                      "  send   Send\n"),
            std::string::npos);
  EXPECT_NE(help.find("\nExit codes:\n  0  done\n"), std::string::npos);
  EXPECT_NE(Help({"send"}).find("Usage: sample send [BODY...] [OPTIONS]\n"), std::string::npos);
}

TEST(HelpTextTest, AChoiceOfManyWordsGoesOnBelow) {
  CLI::App app("Sample", "sample");
  std::string color;
  app.add_subcommand("paint", "Paint")
      ->add_option("--color", color, "What it shall be")
      ->type_name("red|orange|yellow|green|blue|violet");
  const Command program = Describe(app);

  const std::string help = HelpText(program, *Find(program, {"paint"}), 30);

  EXPECT_NE(help.find("\nOptions:\n"
                      "  --color red|orange|yellow|\n"
                      "          green|blue|violet\n"
                      "                          What\n"),
            std::string::npos)
      << help;
}

TEST(HelpTextTest, FitsTheWidth) {
  for (const std::size_t width : {40, 60, 80}) {
    const std::string help = Help({"queue", "create"}, width);
    for (const auto line : absl::StrSplit(help, '\n')) EXPECT_LE(line.size(), width) << line;
  }
}

TEST(HelpTextTest, WrapsAtWords) {
  EXPECT_EQ(Wrap("one two three", 9, 2, 0), "one two\n  three");
  EXPECT_EQ(Wrap("one two", 9, 4, 4), "one\n    two");
  EXPECT_EQ(Wrap("a\n  b c", 5, 0, 0), "a\n  b c");
  EXPECT_EQ(Wrap("averylongword x", 5, 0, 0), "averylongword\nx");
}

TEST(HelpTextTest, KeepsColumns) {
  EXPECT_EQ(Wrap("  1    one two\n  130  three", 80, 0, 0), "  1    one two\n  130  three");
  EXPECT_EQ(Wrap("  1    one two", 12, 0, 0), "  1    one\n       two");
  EXPECT_EQ(Wrap("One.  Two three", 10, 0, 0), "One.  Two\nthree");
}

TEST(HelpTextTest, FindsWhatIsThere) {
  const SampleProgram sample;
  const Command program = Describe(sample.app);

  EXPECT_EQ(PathText(*Find(program, {"queue", "create"})), "sample queue create");
  EXPECT_EQ(Find(program, {"queue", "crate"}), nullptr);
  EXPECT_EQ(Find(program, {})->name(), "sample");
  EXPECT_EQ(ChoicesOf("on|off"), (std::vector<std::string>{"on", "off"}));
  EXPECT_TRUE(ChoicesOf("NUMBER").empty());
}

}  // namespace
}  // namespace wharf::command_line
