#include "broker/config/config_file.h"

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/file_reading.h"
#include "tests/storage/temp_folder.h"

namespace wharf::config {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> ComplaintsOf(std::string_view text) {
  return ReadText(text).complaints.Lines();
}

TEST(ConfigFileTest, EachKindOfValueIsRead) {
  const Reading reading = ReadText(R"(
data = "/srv/wharf"          # a text
max-entities = 20_000        # a number
strict-transactions = true
min-free-disk = "1GiB"
transaction-timeout = '5m'
)");

  EXPECT_THAT(reading.complaints.Lines(), IsEmpty());
  const Settings& settings = reading.configuration.settings;
  EXPECT_EQ(settings.data, "/srv/wharf");
  EXPECT_EQ(settings.limits.broker.entities_max, 20'000u);
  EXPECT_TRUE(settings.limits.transactions.has_one_entity);
  EXPECT_EQ(settings.space.free_bytes_min, 1ULL << 30);
  EXPECT_EQ(settings.limits.transactions.time_max, std::chrono::minutes(5));
  EXPECT_EQ(reading.configuration.OriginOf(*FindKey("max-entities")), "f:3");
}

TEST(ConfigFileTest, AnEmptyFileSaysNothing) {
  for (const char* text : {"", "\n", "# nothing\n", "\xef\xbb\xbf"}) {
    const Reading reading = ReadText(text);
    EXPECT_THAT(reading.complaints.Lines(), IsEmpty());
    EXPECT_THAT(reading.configuration.origins, ::testing::Each(""));
  }
}

TEST(ConfigFileTest, AKeyThatIsNoneIsToldWithItsLineAndTheNearest) {
  EXPECT_THAT(ComplaintsOf("\nlog-levl = \"info\"\n"),
              ElementsAre("f:2: there is no key 'log-levl'; did you mean 'log-level'?"));
  EXPECT_THAT(ComplaintsOf("colour = 3\n"),
              ElementsAre("f:1: there is no key 'colour'; "
                          "`wharfd config print` lists what there is"));
}

TEST(ConfigFileTest, AKeyInATableIsToldByItsWholeName) {
  const std::string sentence = "there is no key 'log.level'; did you mean 'log-level'?";
  EXPECT_THAT(ComplaintsOf("[log]\nlevel = \"info\"\n"), ElementsAre("f:2: " + sentence));
  EXPECT_THAT(ComplaintsOf("log.level = \"info\"\n"), ElementsAre("f:1: " + sentence));
  EXPECT_THAT(ComplaintsOf("\nlog = { level = \"info\" }\n"), ElementsAre("f:2: " + sentence));
  EXPECT_THAT(ComplaintsOf("[log]\n"), ElementsAre(HasSubstr("f:1: there is no key 'log'")));
  EXPECT_THAT(ComplaintsOf("[log-level]\ninfo = 1\n"),
              ElementsAre("f:1: log-level takes debug, info, warning or error, not a table"));
}

TEST(ConfigFileTest, AValueOfTheWrongKindIsToldWithItsLine) {
  EXPECT_THAT(ComplaintsOf("\n\nmax-entities = \"many\"\n"),
              ElementsAre("f:3: max-entities takes a number from 1 to 1000000, not \"many\""));
  EXPECT_THAT(ComplaintsOf("max-entities = 1.5\n"),
              ElementsAre(HasSubstr("a number with a point")));
  EXPECT_THAT(ComplaintsOf("max-entities = [1]\n"), ElementsAre(HasSubstr("not an array")));
  EXPECT_THAT(ComplaintsOf("data = 2026-11-23\n"), ElementsAre(HasSubstr("not a date")));
  EXPECT_THAT(ComplaintsOf("strict-transactions = 1\n"), ElementsAre(HasSubstr("true or false")));
}

TEST(ConfigFileTest, AnEntryOfAnArrayIsToldWithItsOwnLine) {
  EXPECT_THAT(
      ComplaintsOf("listen = [\n  '127.0.0.1:1',\n  # those of operations\n  'nowhere:2',\n]\n"),
      ElementsAre("f:4: listen takes ADDRESS:PORT, for example 127.0.0.1:5680; before the "
                  "port stands an address, for example 127.0.0.1, 0.0.0.0 or [::1], or "
                  "localhost, not \"nowhere:2\""));
  EXPECT_THAT(ComplaintsOf("client-rules = [\n  'claim:a -> r',\n  'shop -> r']\n"),
              ElementsAre(::testing::StartsWith("f:3: client-rules takes ")));
  EXPECT_THAT(ComplaintsOf("listen = [\n  '127.0.0.1:1',\n  '127.0.0.1:1']\n"),
              ElementsAre("f:1: listen takes ADDRESS:PORT, for example 127.0.0.1:5680; 127.0.0.1:1 "
                          "is a place that is named twice"));
  EXPECT_THAT(ComplaintsOf("listen = [\n  '127.0.0.1:1',\n  5680]\n"),
              ElementsAre(HasSubstr("not an array with something else than text")));
}

TEST(ConfigFileTest, AllThatIsWrongIsToldAtOnce) {
  EXPECT_THAT(
      ComplaintsOf("log-levl = 1\nmax-entities = 0\ncolour = 2\nclock = \"sun\"\n"),
      ElementsAre(HasSubstr("f:1: "), HasSubstr("f:3: "), HasSubstr("f:2: "), HasSubstr("f:4: ")));
}

TEST(ConfigFileTest, NotMoreIsToldThanIsRead) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += fmt::format("strange{} = 1\n", i);

  const std::vector<std::string> lines = ComplaintsOf(text);

  EXPECT_THAT(lines, SizeIs(21));
  EXPECT_EQ(lines.back(), "and 980 more");
}

TEST(ConfigFileTest, WhatIsNoTomlIsToldWithItsLine) {
  EXPECT_THAT(ComplaintsOf("data = \"x\"\nlisten =\n"),
              ElementsAre(HasSubstr("f:2: this is no TOML: ")));
  EXPECT_THAT(ComplaintsOf("data: /x\n"), ElementsAre(HasSubstr("f:1: this is no TOML: ")));
  EXPECT_THAT(ComplaintsOf("clock = \"system\"\nclock = \"manual\"\n"),
              ElementsAre(HasSubstr("f:2: this is no TOML: ")));
  EXPECT_THAT(ComplaintsOf("data = \"\xff\xfe\"\n"), ElementsAre(HasSubstr("f:1: ")));
  EXPECT_THAT(ComplaintsOf(std::string(1, '\0')), ElementsAre(HasSubstr("f:1: ")));
}

TEST(ConfigFileTest, DepthIsBounded) {
  const std::size_t depth = 300'000;
  std::string dotted = "a";
  for (std::size_t i = 0; i < depth; ++i) dotted += ".a";

  for (const std::string& text :
       {"x = " + std::string(depth, '['), dotted + " = 1\n", "[" + dotted + "]\n",
        "x = [{a = \"\"\"\n\"\"\", " + dotted + " = 1}]\n",
        "x = [{a = \'\'\'\n\'\\\'\'\'\'\'," + dotted + " = \"\"}]\n",
        "x = [{a = \"\\\"\", " + dotted + " = \"\"}]\n"}) {
    const std::vector<std::string> lines = ComplaintsOf(text);
    EXPECT_THAT(lines, SizeIs(1)) << text.substr(0, 40);
    EXPECT_THAT(lines, Each(HasSubstr(text.ends_with('[') ? "" : "too many points")))
        << text.substr(0, 40);
  }
}

TEST(ConfigFileTest, AnArrayOfManyAddressesMayStandInOneLine) {
  std::string hosts;
  for (int i = 0; i < 100; ++i) hosts += fmt::format("'192.0.2.{}', \"a.b.\\u0063\", ", i);

  const Reading reading = ReadText("http-hosts = [" + hosts + "] # " + std::string(100, '.') +
                                   "\n" + "data = \"\"\"" + std::string(100, '.') + "\"\"\"\n");

  EXPECT_THAT(reading.complaints.Lines(), IsEmpty());
  EXPECT_EQ(reading.configuration.settings.http_hosts.size(), 200U);
}

TEST(ConfigFileTest, OnlyAFileOfTheUsualSizeIsRead) {
  const TempFolder folder;
  const std::string path = folder.path() + "/wharfd.toml";

  EXPECT_EQ(ReadFile(path).status().message(),
            fmt::format("cannot read {}: No such file or directory", path));
  EXPECT_EQ(ReadFile(folder.path()).status().message(),
            fmt::format("cannot read {}: it is not a file", folder.path()));
  EXPECT_EQ(ReadFile("/dev/zero").status().message(), "cannot read /dev/zero: it is not a file");
  std::ofstream(path) << std::string(1 << 20, '#');
  EXPECT_EQ(ReadFile(path)->size(), std::size_t{1} << 20);
  std::ofstream(path, std::ios::app) << '#';
  EXPECT_EQ(ReadFile(path).status().message(),
            fmt::format("cannot read {}: it is larger than 1 MiB", path));
}

}  // namespace
}  // namespace wharf::config
