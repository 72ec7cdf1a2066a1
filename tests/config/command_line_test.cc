#include "broker/config/command_line.h"

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/config/configuration.h"

namespace wharf::config {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CommandLineTest : public ::testing::Test {
 protected:
  std::optional<int> Parse(std::vector<const char*> words) {
    words.insert(words.begin(), "wharfd");
    line_.emplace();
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const auto code = line_->Parse(static_cast<int>(words.size()), words.data());
    out_ = ::testing::internal::GetCapturedStdout();
    err_ = ::testing::internal::GetCapturedStderr();
    return code;
  }
  Reading Read() const {
    Reading reading;
    Apply(line_->Entries(), reading);
    return reading;
  }

  std::optional<CommandLine> line_;
  std::string out_;
  std::string err_;
};

TEST_F(CommandLineTest, WithoutAVerbItServes) {
  EXPECT_EQ(Parse({}), std::nullopt);

  EXPECT_EQ(line_->verb(), CommandLine::Verb::kServe);
  EXPECT_THAT(line_->Entries(), IsEmpty());
  EXPECT_EQ(line_->file(), "");
}

TEST_F(CommandLineTest, EveryKeyIsAFlag) {
  ASSERT_EQ(Parse({"--help"}), 0);
  for (const Key& key : Keys()) EXPECT_THAT(out_, HasSubstr("  " + FlagOf(key) + " ")) << key.name;
}

TEST_F(CommandLineTest, HelpTellsRangesAndDefaults) {
  ASSERT_EQ(Parse({"--help"}), 0);

  EXPECT_THAT(out_, AllOf(HasSubstr("--max-entities 1..1000000=10000"),
                          HasSubstr("--log-level debug|info|warning|error=info"),
                          HasSubstr("--transaction-timeout 1s..1d|SECONDS=2m"),
                          HasSubstr("--max-transaction-bytes 1KiB..64MiB|B=16MiB"),
                          HasSubstr("WHARFD_CONFIG")));
}

TEST_F(CommandLineTest, FlagsAreRead) {
  ASSERT_EQ(Parse({"--data", "d", "--listen=[::1]:0", "--max-entities", "7", "--accept-clock"}),
            std::nullopt);

  const Reading reading = Read();

  EXPECT_THAT(reading.complaints.Lines(), IsEmpty());
  const Settings& settings = reading.configuration.settings;
  EXPECT_EQ(settings.data, "d");
  EXPECT_THAT(settings.listen, ElementsAre("[::1]:0"));
  EXPECT_EQ(settings.limits.broker.entities_max, 7u);
  EXPECT_TRUE(settings.accept_clock);
  EXPECT_EQ(reading.configuration.OriginOf(*FindKey("data")), "--data");
}

TEST_F(CommandLineTest, AListMayComeAgain) {
  ASSERT_EQ(Parse({"--listen", "[::1]:0", "--listen=127.0.0.1:0,unix:/a"}), std::nullopt);

  EXPECT_THAT(Read().complaints.Lines(), IsEmpty());
  EXPECT_THAT(Read().configuration.settings.listen,
              ElementsAre("[::1]:0", "127.0.0.1:0", "unix:/a"));
}

TEST_F(CommandLineTest, ABareNumberStillHasTheUnitThatItAlwaysHad) {
  ASSERT_EQ(Parse({"--min-free-disk", "100", "--max-transaction-bytes=2048",
                   "--transaction-timeout", "90"}),
            std::nullopt);

  const Reading reading = Read();

  EXPECT_THAT(reading.complaints.Lines(), IsEmpty());
  EXPECT_EQ(reading.configuration.settings.space.free_bytes_min, 100u << 20);
  EXPECT_EQ(reading.configuration.settings.limits.transactions.bytes_max, 2048u);
  EXPECT_EQ(reading.configuration.settings.limits.transactions.time_max, std::chrono::seconds(90));
}

TEST_F(CommandLineTest, ABadValueIsToldByTheNameOfTheFlag) {
  ASSERT_EQ(Parse({"--max-entities", "0", "--listen", "", "--clock=sun"}), std::nullopt);

  EXPECT_THAT(Read().complaints.Lines(),
              ElementsAre("--listen takes ADDRESS:PORT, for example 127.0.0.1:5680; it is empty, "
                          "not \"\"",
                          "--max-entities takes a number from 1 to 1000000, not 0",
                          "--clock takes system or manual, not \"sun\""));
}

TEST_F(CommandLineTest, ASwitchWithAFileMayComeWithoutOne) {
  const auto emulator = [this](std::vector<const char*> words) {
    EXPECT_EQ(Parse(std::move(words)), std::nullopt);
    const Reading reading = Read();
    EXPECT_THAT(reading.complaints.Lines(), IsEmpty());
    return reading.configuration.settings.emulator;
  };

  EXPECT_EQ(emulator({}), "off");
  EXPECT_EQ(emulator({"--emulator"}), "on");
  EXPECT_EQ(emulator({"--emulator", "--data", "d"}), "on");
  EXPECT_EQ(emulator({"--emulator", "config", "print"}), "on");
  EXPECT_EQ(emulator({"--emulator", "Config.json"}), "Config.json");
  EXPECT_EQ(emulator({"--emulator=true"}), "on");
  EXPECT_EQ(emulator({"--emulator=off"}), "off");
}

TEST_F(CommandLineTest, VerbsTakeAllFlagsBeforeAndBehindThem) {
  ASSERT_EQ(Parse({"--data", "d", "config", "print", "--config", "f", "--clock", "manual"}),
            std::nullopt);

  EXPECT_EQ(line_->verb(), CommandLine::Verb::kPrint);
  EXPECT_EQ(line_->file(), "f");
  EXPECT_EQ(Read().configuration.settings.data, "d");
  EXPECT_TRUE(Read().configuration.settings.has_manual_clock());
}

TEST_F(CommandLineTest, BadUsageIsToldAndEndsWithTwo) {
  const std::vector<std::vector<const char*>> bad = {{"--bogus"},
                                                     {"config"},
                                                     {"config", "prnt"},
                                                     {"serve"},
                                                     {"--data"},
                                                     {"--data", "a", "--data", "b"},
                                                     {"config", "check", "f.toml"}};
  for (const std::vector<const char*>& words : bad) {
    EXPECT_EQ(Parse(words), 2) << words.back();
    EXPECT_NE(err_, "") << words.back();
  }
}

TEST_F(CommandLineTest, AFlagThatIsNoneIsToldWithTheNearest) {
  ASSERT_EQ(Parse({"--log-levl=debug"}), 2);

  EXPECT_THAT(err_, AllOf(HasSubstr("--log-levl"), HasSubstr("Did you mean --log-level?")));
}

TEST_F(CommandLineTest, TheFileMayBeNamedByAVariable) {
  setenv("WHARFD_CONFIG", "/etc/v.toml", /*overwrite=*/1);
  ASSERT_EQ(Parse({}), std::nullopt);
  EXPECT_EQ(line_->file(), "/etc/v.toml");

  ASSERT_EQ(Parse({"--config", "f.toml"}), std::nullopt);
  EXPECT_EQ(line_->file(), "f.toml");
  unsetenv("WHARFD_CONFIG");
}

}  // namespace
}  // namespace wharf::config
