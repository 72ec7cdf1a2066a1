// The log of a node on a disk that loses power, fails and fills up.
//
// Beside it stands a list of logs in memory: one for each moment since the last sync at which the
// power may have failed. After a start the log on disk is one of them, and not older than what a
// sync has promised. Every failure names the seed that repeats it.

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/memory/memory_entry_log.h"
#include "storage/segments/segment_log.h"
#include "tests/from_environment.h"
#include "tests/power/power_loss_file_system.h"
#include "tests/quiet_log.h"
#include "tests/seed_note.h"

namespace wharf {
namespace {

using Times = PowerLossDisk::Times;

// What a log holds, as far as it must be the same in memory and on disk.
struct Held {
  LogPlace start;
  std::uint64_t last = 0;
  HardState state;
  std::vector<std::pair<std::uint64_t, std::string>> entries;  // Terms and data.

  friend bool operator==(const Held&, const Held&) = default;
};

// From this index on, which is in it.
Held HeldFrom(const EntryLog& log, std::uint64_t start) {
  Held held = {.start = {start, log.TermOf(start)},
               .last = log.last_index(),
               .state = log.hard_state(),
               .entries = {}};
  if (held.last == start) return held;
  for (std::uint64_t next = start + 1; next <= held.last;) {
    const auto entries = log.Read(next, held.last + 1, 5000);
    EXPECT_TRUE(entries.ok()) << entries.status().message();
    if (!entries.ok()) break;
    for (const LogEntry& entry : *entries) held.entries.emplace_back(entry.term, entry.data);
    next += entries->size();
  }
  return held;
}

// A log on a disk, and what it may be after a power cut.
class Story {
 public:
  explicit Story(std::uint64_t seed) : random_(seed), salts_(seed) {
    options_ = {.path = "/data/log",
                .owner = {.cluster = "0123456789abcdef", .node = 7},
                .segment_bytes = 500 + random_() % 20'000,
                .cache_bytes = random_() % 4000,
                .file_system = file_system_};
    EXPECT_TRUE(SegmentLog::Make(options_, {.random = salts_}).ok());
    may_be_ = {MemoryEntryLog()};
    Open();
  }

  PowerLossDisk& disk() { return file_system_->disk(); }
  SegmentLog& log() { return *log_; }

  void Open() {
    log_.reset();
    auto opened = SegmentLog::Open(options_, {.random = salts_});
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    log_ = *std::move(opened);
  }
  // The power may fail on the way.
  void OpenOrFail() {
    auto opened = SegmentLog::Open(options_, {.random = salts_});
    EXPECT_TRUE(opened.ok() || !disk().has_power()) << opened.status().message();
  }
  void Close() { log_.reset(); }

  // One of what may be is what there is; from now on it is what must be.
  void Check() {
    const std::uint64_t start = log_->start().index;
    std::vector<MemoryEntryLog> found;
    for (const MemoryEntryLog& candidate : may_be_) {
      const std::uint64_t from = std::max({candidate.start().index, start, cut_up_to_});
      const bool is_possible = start <= std::max(candidate.start().index, cut_up_to_) &&
                               from <= candidate.last_index() && from <= log_->last_index();
      if (is_possible && HeldFrom(*log_, from) == HeldFrom(candidate, from)) {
        found.push_back(candidate);
        break;
      }
    }
    ASSERT_EQ(found.size(), 1) << "none of " << may_be_.size() << " possible logs: starts behind "
                               << start << ", ends with " << log_->last_index() << ", term "
                               << log_->hard_state().term;
    may_be_ = std::move(found);
    synced_commit_ = std::min(synced_commit_, log_->last_index());
  }

  // Each of these says whether the log did it.
  bool Step() {
    const std::uint64_t kind = random_() % 20;
    if (kind < 11) return Append();
    if (kind < 17) return Sync();
    if (kind < 19) return Cut();
    return random_() % 4 == 0 ? Begin() : Sync();
  }

  bool Append() {
    const MemoryEntryLog& now = may_be_.back();
    const std::uint64_t behind = now.last_index() + 1;
    const std::uint64_t replaced = random_() % 5 == 0 ? random_() % 12 : 0;
    const std::uint64_t first = std::max(
        {log_->start().index + 1, synced_commit_ + 1, behind - std::min(behind, replaced)});
    if (first < behind || random_() % 8 == 0) ++term_;
    std::vector<LogEntry> entries;
    for (std::uint64_t i = random_() % 5; i > 0; --i) {
      entries.push_back({.index = first + entries.size(),
                         .term = term_,
                         .kind = random_() % 9 == 0 ? EntryKind::kMember : EntryKind::kBatch,
                         .data = RandomData()});
    }
    std::optional<HardState> state;
    if (random_() % 3 == 0) state = HardState{.term = term_, .vote = random_() % 4};
    for (const LogEntry& entry : entries)
      Remember([&](auto& log) { return Put(log, {&entry, 1}); });
    if (state) Remember([&](auto& log) { return log.Append({}, state); });
    return log_->Append(entries, state).ok();
  }

  bool Sync() {
    if (!log_->Sync().ok()) return false;
    may_be_ = {may_be_.back()};
    EXPECT_TRUE(may_be_.back().Sync().ok());
    return true;
  }

  bool Cut() {
    if (!Sync()) return false;
    cut_up_to_ += random_() % (log_->last_index() - cut_up_to_ + 1);
    synced_commit_ = std::max(synced_commit_, cut_up_to_);
    return log_->CutUpTo(cut_up_to_).ok();
  }

  bool Begin() {
    const LogPlace place = {log_->last_index() + random_() % 5, ++term_};
    const HardState state = {.term = term_, .commit = place.index};
    synced_commit_ = place.index;
    Remember([&](auto& log) { return log.BeginAt(place, state); });
    if (!log_->BeginAt(place, state).ok()) return false;
    may_be_ = {may_be_.back()};
    return true;
  }

  // Appends until a segment more has begun.
  bool FillSegment() {
    const std::uint64_t before = log_->stats().segments;
    while (log_->stats().segments == before) {
      if (!Append()) return false;
    }
    return true;
  }

  std::size_t CountSegments() {
    std::vector<std::string> names;
    EXPECT_TRUE(disk().List(options_.path, names).ok());
    return std::count_if(names.begin(), names.end(),
                         [](const std::string& name) { return name.ends_with(".segment"); });
  }
  std::uint64_t Random() { return random_(); }

 private:
  static Status Put(MemoryEntryLog& log, std::span<const LogEntry> entries) {
    return log.Append(entries, std::nullopt);
  }
  void Remember(const std::function<Status(MemoryEntryLog&)>& change) {
    may_be_.push_back(may_be_.back());
    const Status status = change(may_be_.back());
    EXPECT_TRUE(status.ok()) << status.message();
  }
  std::string RandomData() {
    std::string data(random_() % (random_() % 10 == 0 ? 9000 : 100), '\0');
    for (char& byte : data) byte = static_cast<char>(random_());
    return data;
  }

  std::mt19937_64 random_;
  SeededRandom salts_;
  std::shared_ptr<PowerLossFileSystem> file_system_ = std::make_shared<PowerLossFileSystem>();
  SegmentLogOptions options_;
  std::unique_ptr<SegmentLog> log_;
  std::vector<MemoryEntryLog> may_be_;
  std::uint64_t term_ = 1;
  // No entry up to here is replaced: the state has it.
  std::uint64_t synced_commit_ = 0;
  // What was asked to be cut; the disk may have done it or not, and the logs in memory have not.
  std::uint64_t cut_up_to_ = 0;
};

void ForEachSeed(std::uint64_t rounds, const std::function<void(Story&, std::uint64_t)>& tell) {
  const QuietLog quiet;
  rounds = FromEnvironment("WHARF_ROUNDS", rounds);
  const std::uint64_t first = FromEnvironment("WHARF_SEED", 1);
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    if (::testing::Test::HasFailure()) return;
    const SeedNote note(fmt::format("WHARF_SEED={}", seed));
    Story story(seed);
    tell(story, seed);
  }
}

TEST(SegmentPowerTest, APowerCutLeavesALogThatWasAndForgetsNothingThatWasSynced) {
  std::uint64_t written_over = 0;
  ForEachSeed(400, [&](Story& story, std::uint64_t) {
    for (int cut = 0; cut < 6 && !::testing::Test::HasFailure(); ++cut) {
      story.disk().CutPowerAfter(1 + story.Random() % 60, story.Random());
      while (story.disk().has_power() && !::testing::Test::HasFailure()) {
        const SegmentLog::Stats before = story.log().stats();
        EXPECT_TRUE(story.Step() || !story.disk().has_power());
        const SegmentLog::Stats after = story.log().stats();
        if (after.segments > before.segments && after.spares < before.spares) ++written_over;
      }
      story.Close();
      story.disk().Reboot();
      story.Open();
      if (!::testing::Test::HasFailure()) story.Check();
    }
  });
  EXPECT_GT(written_over, 0) << "segments that were written over were not among those";
}

// The start, too, writes: what a start has found it never forgets, wherever the next one ends.
TEST(SegmentPowerTest, APowerCutInTheMidstOfAStartForgetsNothing) {
  ForEachSeed(200, [](Story& story, std::uint64_t) {
    for (int i = 0; i < 30; ++i) ASSERT_TRUE(story.Step());
    story.disk().CutPower(story.Random());
    for (std::uint64_t changes = 1; changes < 12; ++changes) {
      story.Close();
      story.disk().Reboot();
      story.Open();
      if (::testing::Test::HasFailure()) return;
      story.Check();
      story.Append();
      story.Close();
      story.disk().CutPowerAfter(changes, story.Random());
      story.OpenOrFail();
      story.disk().CutPower(story.Random());
    }
  });
}

// The process ends, and the machine does not: what the next one reads may be in memory only.
TEST(SegmentPowerTest, WhatAStartHasFoundIsThereAfterAPowerCut) {
  ForEachSeed(200, [](Story& story, std::uint64_t) {
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(story.Step());
    story.Append();
    story.Open();
    story.Check();
    ASSERT_FALSE(::testing::Test::HasFailure());

    story.Close();
    story.disk().CutPower(story.Random());
    story.disk().Reboot();
    story.Open();
    if (!::testing::Test::HasFailure()) story.Check();
  });
}

// The pages of a failed sync are called clean, can be read, and are not on the disk.
TEST(SegmentPowerTest, AFailedSyncIsNotMadeGoodByAStart) {
  ForEachSeed(200, [](Story& story, std::uint64_t) {
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(story.Step());
    story.Append();
    story.disk().FailSyncs(story.Random() % 4, Times::kOnce);
    while (story.Sync() && story.Append()) {
    }
    EXPECT_FALSE(story.Append()) << "a log that has failed goes on";
    story.disk().ClearFaults();
    story.Open();
    story.Check();
    if (story.Random() % 2 == 0) {
      EXPECT_TRUE(story.Append() && story.Sync());
    }
    ASSERT_FALSE(::testing::Test::HasFailure());

    story.Close();
    story.disk().CutPower(story.Random());
    story.disk().Reboot();
    story.Open();
    if (!::testing::Test::HasFailure()) story.Check();
  });
}

// Or a later one might be gone for good before an earlier one, and the log would have a gap.
TEST(SegmentPowerTest, ASegmentGoesWhenTheOneBeforeItIsGoneForGood) {
  const QuietLog quiet;
  Story story(1);
  while (story.log().stats().segments < 6) ASSERT_TRUE(story.Append() && story.Sync());
  const std::size_t segments = story.CountSegments();

  story.disk().FailSyncs(0, Times::kFromThenOn);
  EXPECT_FALSE(story.log().CutUpTo(story.log().last_index()).ok());

  EXPECT_EQ(story.CountSegments(), segments - 1);
}

TEST(SegmentPowerTest, AFullDiskEndsTheLogAndLosesNothing) {
  ForEachSeed(100, [](Story& story, std::uint64_t) {
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(story.Step());
    story.disk().SetCapacity(story.disk().used_bytes() + story.Random() % 8000);
    while (story.Append() && story.Sync()) {
    }
    EXPECT_FALSE(story.Sync());

    story.disk().ClearFaults();
    story.Open();
    if (::testing::Test::HasFailure()) return;
    story.Check();
    EXPECT_TRUE(story.Append() && story.Sync());
  });
}

// One operation, cut off at each of its changes of the disk; after it the log is what it was before
// or what it should become, and nothing between.
class EachStep : public ::testing::TestWithParam<std::pair<std::string, bool (Story::*)()>> {};

TEST_P(EachStep, IsSurvived) {
  const QuietLog quiet;
  bool has_ended = false;
  for (std::uint64_t changes = 1; !has_ended; ++changes) {
    has_ended = true;
    for (std::uint64_t seed = 1; seed <= 25 && !HasFailure(); ++seed) {
      const SeedNote note(fmt::format("seed {}, after {} changes", seed, changes));
      Story story(seed);
      for (int i = 0; i < 25; ++i) ASSERT_TRUE(story.Append() && story.Sync());

      story.disk().CutPowerAfter(changes, seed);
      const bool is_done = (story.*GetParam().second)();
      has_ended = has_ended && is_done;
      story.Close();
      story.disk().CutPower(seed);
      story.disk().Reboot();

      story.Open();
      if (HasFailure()) return;
      story.Check();
      ASSERT_TRUE(story.Append() && story.Sync());
    }
    ASSERT_LT(changes, 500);
  }
}

INSTANTIATE_TEST_SUITE_P(SegmentPowerTest, EachStep,
                         ::testing::Values(std::pair{"CutUpTo", &Story::Cut},
                                           std::pair{"BeginAt", &Story::Begin},
                                           std::pair{"RollOver", &Story::FillSegment}),
                         [](const auto& info) { return info.param.first; });

}  // namespace
}  // namespace wharf
