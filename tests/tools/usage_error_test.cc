#include "tools/command_line/usage_error.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/tools/sample_program.h"
#include "tools/command_line/arguments.h"

namespace wharf::command_line {
namespace {

std::string Sentence(std::vector<std::string> words) {
  return SampleProgram().Parse(std::move(words), UsageSentence);
}

TEST(UsageErrorTest, NamesACommandThatIsNotThere) {
  EXPECT_EQ(Sentence({"sned", "x"}), "there is no command 'sned'; did you mean 'send'?");
  EXPECT_EQ(Sentence({"queue", "crate", "x"}),
            "there is no command 'queue crate'; did you mean 'queue create'?");
  EXPECT_EQ(Sentence({"create", "x"}),
            "there is no command 'create'; did you mean 'queue create'?");
  EXPECT_EQ(Sentence({"consume"}),
            "there is no command 'consume'; 'sample --help' lists what there is");
  EXPECT_EQ(Sentence({"queue", "consume"}),
            "there is no command 'queue consume'; 'sample queue --help' lists what there is");
}

TEST(UsageErrorTest, NamesAnOptionThatIsNotThere) {
  EXPECT_EQ(Sentence({"queue", "create", "q", "--mxa", "3"}),
            "there is no option '--mxa'; did you mean '--max'?");
  EXPECT_EQ(Sentence({"queue", "create", "q", "--jsn"}),
            "there is no option '--jsn'; did you mean '--json'?");
  EXPECT_EQ(Sentence({"queue", "create", "q", "--colour=red"}),
            "there is no option '--colour'; put -- before arguments that begin with a dash");
}

TEST(UsageErrorTest, TellsWhatIsMissing) {
  EXPECT_EQ(Sentence({"queue", "create"}),
            "NAME is missing; usage: sample queue create NAME [OPTIONS]");
  EXPECT_EQ(Sentence({"queue", "create", "q", "--max"}), "--max needs a value: --max NUMBER");
  EXPECT_EQ(Sentence({"queue", "create", "q", "--note", "x"}),
            "--note means something only with --soon");
}

TEST(UsageErrorTest, TellsWhatIsTooMuch) {
  EXPECT_EQ(Sentence({"queue", "create", "q", "r"}),
            "'r' is one argument too many; usage: sample queue create NAME [OPTIONS]");
  EXPECT_EQ(Sentence({"queue", "create", "q", "-7"}),
            "'-7' is one argument too many; usage: sample queue create NAME [OPTIONS]");
  EXPECT_EQ(Sentence({"queue", "create", "q", "--max", "1", "--max", "2"}),
            "--max is given more than once");
  EXPECT_EQ(Sentence({"queue", "create", "q", "--late", "--soon"}),
            "--soon and --late exclude each other");
  EXPECT_EQ(Sentence({"queue", "create", "q", "--soon=maybe"}), "--soon takes no value");
}

TEST(UsageErrorTest, IsContentWithWhatIsRight) {
  EXPECT_EQ(Sentence({"queue", "create", "q", "--max", "3", "--soon"}), "");
  EXPECT_EQ(Sentence({"send", "--json", "--", "-7"}), "");
}

TEST(UsageErrorTest, KnowsACallOfNothing) {
  const auto bare = [](const CLI::App& app, const CLI::ParseError& error) {
    return std::string(IsBare(app, error) ? "bare" : "not bare");
  };
  EXPECT_EQ(SampleProgram().Parse({}, bare), "bare");
  EXPECT_EQ(SampleProgram().Parse({"queue"}, bare), "bare");
  EXPECT_EQ(SampleProgram().Parse({"--json", "queue"}, bare), "bare");
  EXPECT_EQ(SampleProgram().Parse({"sned"}, bare), "not bare");
  EXPECT_EQ(SampleProgram().Parse({"queue", "create"}, bare), "not bare");
}

std::vector<std::string> Read(std::vector<const char*> words) {
  words.insert(words.begin(), "sample");
  return ReversedArguments(static_cast<int>(words.size()), words.data());
}

TEST(ArgumentsTest, AnEmptyValueIsOne) {
  SampleProgram program;
  std::vector<std::string> arguments = Read({"queue", "create", "--state=", "q"});

  program.app.parse(arguments);

  EXPECT_EQ(program.state, "");
  EXPECT_EQ(program.name, "q");
}

TEST(ArgumentsTest, BehindTheMarkEverythingIsAsItIs) {
  EXPECT_EQ(Read({"send", "--", "--to="}), (std::vector<std::string>{"--to=", "--", "send"}));
}

}  // namespace
}  // namespace wharf::command_line
