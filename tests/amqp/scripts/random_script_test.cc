// What clients of other makes say (../entities/jms, ../entities/sdks), as it stands there and a
// little different, to a whole broker. WHARF_AMQP_SCRIPTS and WHARF_SEED make it longer or begin it
// elsewhere; amqp_broker_fuzz goes on.
#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/amqp/codec/random_value.h"
#include "tests/amqp/scripts/any_broker_client.h"
#include "tests/amqp/scripts/script_mutation.h"
#include "tests/amqp/scripts/value_node.h"
#include "tests/from_environment.h"
#include "tests/seed_note.h"

namespace wharf::amqp {
namespace {

std::vector<ClientScript> AllScripts() {
  std::vector<ClientScript> scripts;
  for (const auto& path : DialoguesIn(WHARF_DIALOGUES_FOLDER)) {
    scripts.push_back(ReadDialogue(path));
  }
  return scripts;
}

// What the dialogue itself has, by the kinds of its frames.
std::vector<std::string> KindsIn(const std::vector<std::string>& lines) {
  std::vector<std::string> kinds;
  for (const std::string& line : lines) kinds.push_back(line.substr(0, line.find('{')));
  return kinds;
}
std::vector<std::string> AnswersIn(const std::filesystem::path& path) {
  std::ifstream text(path);
  std::vector<std::string> answers;
  bool is_answer = false;
  for (std::string line; std::getline(text, line);) {
    if (line.empty()) is_answer = false;
    const bool is_frame = line.find('{') != std::string::npos || line.starts_with("header ");
    if (is_answer && is_frame) answers.push_back(line);
    if (line == "----") is_answer = true;
  }
  return answers;
}

// Else a fuzzer would begin with clients that nobody answers.
TEST(RandomScriptTest, WhatClientsSayIsAnsweredAsInTheirDialogues) {
  for (const auto& path : DialoguesIn(WHARF_DIALOGUES_FOLDER)) {
    EXPECT_EQ(KindsIn(TryAnyBrokerClient(ReadDialogue(path))), KindsIn(AnswersIn(path))) << path;
  }
}

TEST(RandomScriptTest, AScriptComesBackFromItsBytes) {
  for (const ClientScript& script : AllScripts()) {
    const std::string bytes = Encoded(script);
    EXPECT_EQ(Decoded(bytes), script);
    // A part of it is one as well.
    EXPECT_LE(Decoded(bytes.substr(0, bytes.size() / 2)).said.size(), script.said.size());
  }
}

TEST(RandomScriptTest, AFrameThatIsTakenApartIsPutTogetherAgain) {
  for (const ClientScript& script : AllScripts()) {
    for (const Said& said : script.said) EXPECT_EQ(Written(ReadNodes(said.body)), said.body);
  }
}

TEST(RandomScriptTest, WhateverIsSaidOtherwiseNothingOfItStays) {
  const std::vector<ClientScript> scripts = AllScripts();
  const std::uint64_t first = FromEnvironment("WHARF_SEED", 1);
  const std::uint64_t rounds = FromEnvironment("WHARF_AMQP_SCRIPTS", 2500);
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    const SeedNote note("WHARF_SEED=" + std::to_string(seed));
    Generator random(seed);
    const ScriptMutation mutation(scripts, [&](std::string& bytes) { Spoil(bytes, random); });
    ClientScript script = scripts[random() % scripts.size()];
    for (std::uint64_t changes = 1 + random() % 6; changes > 0; --changes) {
      mutation.Change(script, random);
    }
    TryAnyBrokerClient(script);
  }
}

}  // namespace
}  // namespace wharf::amqp
