#include "tools/ledger/ledger.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

using ::testing::HasSubstr;

class LedgerTest : public ::testing::Test {
 protected:
  LedgerTest() {
    std::string folder = (std::filesystem::temp_directory_path() / "wharf-ledger-XXXXXX").string();
    folder_ = mkdtemp(folder.data());
  }
  ~LedgerTest() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return folder_ + "/ledger.jsonl"; }
  // As the next run sees it.
  Ledger Reopened() const { return *Ledger::Open(path()); }
  std::string Content() const {
    std::ifstream file(path());
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string folder_;
};

TEST_F(LedgerTest, ItBeginsWithTheFirstSeed) {
  EXPECT_EQ(Reopened().NextSeed("crash"), 1U);
  EXPECT_EQ(Reopened().RoundsLeft("crash"), std::nullopt);
}

TEST_F(LedgerTest, TheNextRunGoesOnBehindAllSeedsOfItsKind) {
  ASSERT_TRUE(Reopened().Append({.what = "simulation", .seed = 101, .seeds = 50}).ok());
  ASSERT_TRUE(Reopened().Append({.what = "simulation", .seed = 1, .seeds = 10}).ok());
  ASSERT_TRUE(Reopened().Append({.what = "crash", .seed = 7}).ok());

  EXPECT_EQ(Reopened().NextSeed("simulation"), 151U);
  EXPECT_EQ(Reopened().NextSeed("crash"), 8U);
}

TEST_F(LedgerTest, ARunThatWasStoppedTellsWhatIsLeft) {
  ASSERT_TRUE(
      Reopened().Append({.what = "crash", .seed = 1, .rounds = 120, .rounds_wanted = 300}).ok());
  EXPECT_EQ(Reopened().RoundsLeft("crash"), 180U);

  ASSERT_TRUE(
      Reopened().Append({.what = "crash", .seed = 2, .rounds = 180, .rounds_wanted = 180}).ok());
  EXPECT_EQ(Reopened().RoundsLeft("crash"), std::nullopt);
  EXPECT_EQ(Reopened().NextSeed("crash"), 3U);
}

TEST_F(LedgerTest, ALineSaysWhatWasRunAndSeen) {
  Ledger ledger = Reopened();
  ASSERT_TRUE(ledger
                  .Append({.what = "crash",
                           .seed = 5,
                           .rounds = 2,
                           .rounds_wanted = 2,
                           .kinds = {{"kill-all", 1}, {"transfer", 1}},
                           .violations = 1,
                           .verdict = "a message is lost",
                           .seconds = 17.9,
                           .commit = "0123456789ab",
                           .ended_at = "2026-01-31T12:00:00Z"})
                  .ok());

  EXPECT_EQ(Content(),
            R"({"what":"crash","seed":5,"seeds":1,"rounds":2,"rounds_wanted":2,)"
            R"("kinds":{"kill-all":1,"transfer":1},"violations":1,"verdict":"a message is lost",)"
            R"("seconds":17,"commit":"0123456789ab","ended_at":"2026-01-31T12:00:00Z"})"
            "\n");
  EXPECT_EQ(ledger.NextSeed("crash"), 6U);
}

TEST_F(LedgerTest, WhatIsNoLineIsTold) {
  for (const char* text : {"{", "[]", "{}", R"({"what":"crash"})", R"({"what":7,"seed":1})"}) {
    std::ofstream(path()) << R"({"what":"crash","seed":1,"seeds":1})" << '\n' << text << '\n';

    const Result<Ledger> ledger = Ledger::Open(path());

    ASSERT_FALSE(ledger.ok()) << text;
    EXPECT_THAT(ledger.status().message(), HasSubstr("ledger.jsonl:2 is no line"));
  }
}

TEST_F(LedgerTest, AFolderThatIsNotThereIsTold) {
  Result<Ledger> ledger = Ledger::Open("/nowhere/ledger.jsonl");
  ASSERT_TRUE(ledger.ok());

  EXPECT_THAT(ledger->Append({.what = "crash"}).message(), HasSubstr("cannot write"));
}

}  // namespace
}  // namespace wharf
