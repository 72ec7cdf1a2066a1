#include "broker/config/pages.h"

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/file_reading.h"

namespace wharf::config {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Example() {
  std::ifstream file(WHARF_EXAMPLE);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// As if each line that is commented out were in force.
std::string Uncommented(const std::string& text) {
  std::istringstream lines(text);
  std::string uncommented;
  for (std::string line; std::getline(lines, line);) {
    const bool is_key = line.starts_with("# ") && line.find(" = ") != std::string::npos &&
                        FindKey(line.substr(2, line.find(" = ") - 2)) != nullptr;
    uncommented += (is_key ? line.substr(2) : line) + '\n';
  }
  return uncommented;
}

void ExpectEqual(const Settings& settings, const Settings& others) {
  for (const Key& key : Keys()) {
    EXPECT_EQ(LiteralOf(key, settings), LiteralOf(key, others)) << key.name;
  }
}

TEST(PagesTest, TheExampleOfDeployIsWhatTheTableSays) {
  EXPECT_EQ(Example(), ExamplePage())
      << "bin/wharfd config example > deploy/wharfd.toml writes it anew";
}

TEST(PagesTest, TheExampleLoadsAndChangesNothingButTheFolder) {
  const Reading reading = ReadText(Example());

  EXPECT_THAT(reading.complaints.Lines(), IsEmpty());
  Settings defaults;
  defaults.data = "/var/lib/wharf";
  ExpectEqual(reading.configuration.settings, defaults);
}

TEST(PagesTest, EachDefaultOfTheExampleIsTheDefault) {
  const Reading reading = ReadText(Uncommented(Example()));

  EXPECT_THAT(reading.complaints.Lines(), IsEmpty());
  for (const Key& key : Keys()) {
    EXPECT_THAT(reading.configuration.OriginOf(key), HasSubstr("f:")) << key.name;
    if (key.is_needed()) continue;
    EXPECT_EQ(LiteralOf(key, reading.configuration.settings), LiteralOf(key, Settings{}));
  }
}

TEST(PagesTest, WhatIsInForceIsAFileThatMeansTheSame) {
  const Reading reading = ReadText(
      "data = '/a \"b\" \\c\\\t\xc3\xa4'\nmax-transaction-bytes = \"1025B\"\n"
      "transaction-timeout = \"1h30m\"\nstrict-transactions = true\n");
  ASSERT_THAT(reading.complaints.Lines(), IsEmpty());

  const Reading again = ReadText(EffectivePage(reading.configuration));

  EXPECT_THAT(again.complaints.Lines(), IsEmpty());
  ExpectEqual(again.configuration.settings, reading.configuration.settings);
}

TEST(PagesTest, WhatIsInForceNamesItsOrigin) {
  const std::string page = EffectivePage(ReadText("\nclock = \"manual\"\n").configuration);

  EXPECT_THAT(page, HasSubstr("# data is needed, and not said\n"));
  EXPECT_THAT(page, ContainsRegex("\nlisten = \"127.0.0.1:5680\" +# default\n"));
  EXPECT_THAT(page, ContainsRegex("\nclock = \"manual\" +# f:2\n"));
  EXPECT_THAT(EffectivePage(ReadText("emulator = true\nephemeral = true\n").configuration),
              HasSubstr("# data is a folder of the process (ephemeral)\n"));
}

}  // namespace
}  // namespace wharf::config
