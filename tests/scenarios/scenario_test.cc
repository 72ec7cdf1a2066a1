// Every scenario of this folder is played and must print what it says.
//
//   WHARF_REWRITE_SCENARIOS=1 scenario_test     writes what it printed into the files instead

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenarios/script.h"
#include "tests/scenarios/stage.h"

namespace wharf {
namespace {

using std::filesystem::path;

std::vector<path> ScenarioFiles() {
  std::vector<path> files;
  for (const auto& entry : std::filesystem::directory_iterator(WHARF_SCENARIOS_FOLDER)) {
    const bool is_scenario =
        entry.path().extension() == ".txt" && entry.path().filename() != "CMakeLists.txt";
    if (is_scenario) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// lock_expiry.txt is the test LockExpiry.
std::string TestName(const ::testing::TestParamInfo<path>& file) {
  std::string name;
  bool is_start = true;
  for (const char c : file.param.stem().string()) {
    if (c != '_') name.push_back(is_start ? static_cast<char>(std::toupper(c)) : c);
    is_start = c == '_';
  }
  return name;
}

std::string TextIn(const path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> PlayBlock(const ScriptBlock& block, Stage& stage) {
  std::vector<std::string> printed;
  for (const std::string& line : block.commands) {
    for (std::string& answer : stage.Play(ParseCommand(line))) printed.push_back(std::move(answer));
  }
  return printed;
}

class ScenarioTest : public ::testing::TestWithParam<path> {};

TEST_P(ScenarioTest, PrintsWhatItSays) {
  std::vector<ScriptBlock> blocks = ParseScript(TextIn(GetParam()));
  const bool is_rewriting = std::getenv("WHARF_REWRITE_SCENARIOS") != nullptr;
  Stage stage;

  for (ScriptBlock& block : blocks) {
    std::vector<std::string> printed = PlayBlock(block, stage);
    if (!is_rewriting) {
      EXPECT_THAT(block.expected, ::testing::ElementsAreArray(printed))
          << GetParam().filename() << ", line " << block.line;
    }
    block.expected = std::move(printed);
  }

  // Whatever was played, everything is accounted for.
  EXPECT_EQ(stage.FindWrong(), "") << GetParam().filename();
  if (is_rewriting) std::ofstream(GetParam()) << ToText(blocks);
}

INSTANTIATE_TEST_SUITE_P(All, ScenarioTest, ::testing::ValuesIn(ScenarioFiles()), TestName);

}  // namespace
}  // namespace wharf
