#include "storage/segments/segment_log.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/heard_log.h"
#include "tests/quiet_log.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kAll = SIZE_MAX;
constexpr std::size_t kRecordHead = SegmentRecord::kHeadBytes;
const LogOwner kOwner = {.cluster = "0123456789abcdef", .node = 7};

using Files = std::map<std::string, std::string>;

class SegmentLogTest : public ::testing::Test {
 protected:
  SegmentLogTest() { Make(); }

  std::string folder() const { return temp_.path() + "/deep/log"; }
  std::string PathOf(int number) const { return fmt::format("{}/{:08}.segment", folder(), number); }
  SegmentLog& log() { return *log_; }

  void Make(std::uint64_t seed = 1) {
    random_ = SeededRandom(seed);
    options_.path = folder();
    options_.owner = kOwner;
    const Status made = SegmentLog::Make(options_, {.random = random_, .now = Now()});
    ASSERT_TRUE(made.ok()) << made.message();
    Open();
  }
  Status TryOpen() {
    log_.reset();
    auto opened = SegmentLog::Open(options_, {.random = random_, .now = Now()});
    if (opened.ok()) log_ = *std::move(opened);
    return opened.status();
  }
  void Open() {
    const Status opened = TryOpen();
    ASSERT_TRUE(opened.ok()) << opened.message();
  }
  void Close() { log_.reset(); }

  void Append(std::uint64_t index, std::uint64_t term, std::string data) {
    const std::vector<LogEntry> entries = {{.index = index, .term = term, .data = std::move(data)}};
    ASSERT_TRUE(log().Append(entries, std::nullopt).ok());
  }
  void Sync() { ASSERT_TRUE(log().Sync().ok()); }
  // Each with a sync of its own.
  void AppendSynced(std::uint64_t first, std::uint64_t last, std::uint64_t term = 1) {
    for (std::uint64_t index = first; index <= last; ++index) {
      Append(index, term, DataOf(index, term));
      Sync();
    }
  }
  static std::string DataOf(std::uint64_t index, std::uint64_t term) {
    return fmt::format("{} of {}", index, term) + std::string(index % 16, '.');
  }
  void ExpectEntries(std::uint64_t first, std::uint64_t last, std::uint64_t term = 1) {
    for (std::uint64_t index = first; index <= last; ++index) {
      const auto entry = log().Read(index, index + 1, kAll);
      ASSERT_TRUE(entry.ok()) << entry.status().message();
      EXPECT_EQ(entry->front().data, DataOf(index, term));
      EXPECT_EQ(log().TermOf(index), term);
    }
  }

  // Of the files.
  static std::string ReadFile(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void WriteFile(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }
  static void Flip(const std::string& path, std::size_t at) {
    std::string bytes = ReadFile(path);
    bytes.at(at) = static_cast<char>(bytes.at(at) ^ (1 << (at % 8)));
    WriteFile(path, bytes);
  }
  Files ReadAll() const {
    Files files;
    for (const auto& file : std::filesystem::directory_iterator(folder())) {
      files[file.path().string()] = ReadFile(file.path().string());
    }
    return files;
  }
  std::size_t CountFiles(const std::string& suffix) const {
    const Files files = ReadAll();
    return std::count_if(files.begin(), files.end(),
                         [&](const auto& file) { return file.first.ends_with(suffix); });
  }
  void WriteAll(const Files& files) {
    Close();
    for (const auto& [path, bytes] : ReadAll()) std::filesystem::remove(path);
    for (const auto& [path, bytes] : files) WriteFile(path, bytes);
  }
  // Up to this place.
  bool IsWhole(const Files& torn, const Files& whole, std::size_t end) const {
    const std::string& bytes = torn.at(PathOf(1));
    return bytes.size() >= end && whole.at(PathOf(1)).starts_with(bytes.substr(0, end));
  }
  // Refused with one sentence, and nothing was changed.
  void ExpectRefused(const std::string& file, const std::string& what) {
    const Files before = ReadAll();
    const Status opened = TryOpen();
    EXPECT_THAT(opened.message(), AllOf(HasSubstr(file), HasSubstr(what)));
    EXPECT_THAT(opened.message(), HasSubstr("add it anew"));
    EXPECT_FALSE(opened.ok());
    Files after = ReadAll();
    after.erase(folder() + "/LOCK");
    Files expected = before;
    expected.erase(folder() + "/LOCK");
    EXPECT_EQ(after, expected);
  }

  // Where each record of a segment begins, and where the last one ends.
  std::vector<std::size_t> Places(std::uint64_t first, std::uint64_t last) const {
    std::vector<std::size_t> places = {SegmentHead::kBytes};
    for (std::uint64_t index = first; index <= last; ++index) {
      places.push_back(places.back() + SegmentRecord::BytesFor(DataOf(index, 1).size()));
    }
    return places;
  }

  std::function<Duration()> Now() {
    return [this] { return now_ += Duration(10); };
  }

  SegmentLogOptions options_;
  Duration now_{};

 private:
  TempFolder temp_;
  SeededRandom random_{1};
  std::unique_ptr<SegmentLog> log_;
};

TEST_F(SegmentLogTest, AStartMakesNoLogWhereOneIsLost) {
  AppendSynced(1, 1);
  Close();
  std::filesystem::remove_all(folder());

  EXPECT_THAT(TryOpen().message(), HasSubstr("has no log"));
  EXPECT_FALSE(SegmentLog::Exists(options_).value());
  EXPECT_FALSE(std::filesystem::exists(folder()));
}

TEST_F(SegmentLogTest, ALogIsMadeOnlyOnce) {
  AppendSynced(1, 3);
  Close();
  SeededRandom random(1);

  const Status made = SegmentLog::Make(options_, {.random = random});

  EXPECT_THAT(made.message(), HasSubstr("has a log already"));
  EXPECT_TRUE(SegmentLog::Exists(options_).value());
  Open();
  ExpectEntries(1, 3);
}

TEST_F(SegmentLogTest, ALogThatIsInUseIsNotOpened) {
  SeededRandom random(1);
  const auto second = SegmentLog::Open(options_, {.random = random});
  EXPECT_THAT(second.status().message(), HasSubstr("is in use by another wharfd"));
}

TEST_F(SegmentLogTest, ASegmentThatWasNotFinishedIsRemoved) {
  AppendSynced(1, 3);
  WriteFile(PathOf(2) + ".new", "half a head");

  Open();

  ExpectEntries(1, 3);
  EXPECT_FALSE(std::filesystem::exists(PathOf(2) + ".new"));
}

// Of the last three records, as a power cut may leave them: shorter, or with zeros in their place.
TEST_F(SegmentLogTest, ATornEndIsCutOffAtAnyByte) {
  const QuietLog quiet;
  AppendSynced(1, 6);
  const Files whole = ReadAll();
  const auto places = Places(1, 6);
  ASSERT_EQ(whole.at(PathOf(1)).size(), places.back());

  for (std::size_t cut = places[3]; cut < places.back(); ++cut) {
    for (const bool has_zeros : {false, true}) {
      SCOPED_TRACE(fmt::format("cut at {}, zeros: {}", cut, has_zeros));
      Files torn = whole;
      torn.at(PathOf(1)).resize(cut);
      if (has_zeros) torn.at(PathOf(1)).resize(places.back());
      WriteAll(torn);
      // The last bytes of a record may be zeros anyway.
      std::uint64_t last = 3;
      while (last < 6 && IsWhole(torn, whole, places[last + 1])) ++last;

      Open();
      EXPECT_EQ(log().last_index(), last);
      ExpectEntries(1, last);

      AppendSynced(last + 1, 8);
      Open();
      EXPECT_EQ(log().last_index(), 8);
      ExpectEntries(1, 8);
    }
  }
}

TEST_F(SegmentLogTest, AFlippedBitInWhatWasSyncedIsRefusedAndInTheLastRecordIsATornEnd) {
  const QuietLog quiet;
  AppendSynced(1, 6);
  const Files whole = ReadAll();
  const auto places = Places(1, 6);

  for (std::size_t at = places[3]; at < places.back(); ++at) {
    SCOPED_TRACE(fmt::format("bit in byte {}", at));
    WriteAll(whole);
    Flip(PathOf(1), at);
    if (at >= places[5]) {
      Open();
      EXPECT_EQ(log().last_index(), 5);
      ExpectEntries(1, 5);
    } else {
      const std::size_t place = at >= places[4] ? places[4] : places[3];
      ExpectRefused(PathOf(1), fmt::format("is damaged at offset {}:", place));
    }
  }
}

TEST_F(SegmentLogTest, AFlippedBitInAHeadIsRefused) {
  AppendSynced(1, 2);
  const Files whole = ReadAll();

  for (std::size_t at = 0; at < SegmentHead::kBytes; ++at) {
    SCOPED_TRACE(fmt::format("bit in byte {}", at));
    WriteAll(whole);
    Flip(PathOf(1), at);
    ExpectRefused(PathOf(1), "");
  }
}

// Pages of one sync reach the disk in any order: nothing of it was promised.
TEST_F(SegmentLogTest, WhatWasSyncedTogetherMayBeTornInItsMidst) {
  const QuietLog quiet;
  AppendSynced(1, 2);
  for (std::uint64_t index = 3; index <= 6; ++index) Append(index, 1, DataOf(index, 1));
  Close();

  Flip(PathOf(1), Places(1, 6)[3] + 5);
  Open();

  EXPECT_EQ(log().last_index(), 3);
  ExpectEntries(1, 3);
}

TEST_F(SegmentLogTest, DamageInASegmentThatIsNotTheLastIsRefused) {
  const std::size_t segment_bytes = Places(1, 3).back();
  options_.segment_bytes = segment_bytes;
  Open();
  AppendSynced(1, 3);
  Append(4, 1, "");
  Close();
  const Files whole = ReadAll();

  for (std::size_t at = SegmentHead::kBytes; at < segment_bytes; ++at) {
    SCOPED_TRACE(fmt::format("byte {}", at));
    WriteAll(whole);
    Flip(PathOf(1), at);
    ExpectRefused(PathOf(1), "is damaged at offset");

    Files shorter = whole;
    shorter.at(PathOf(1)).resize(at);
    WriteAll(shorter);
    ExpectRefused(PathOf(1), fmt::format("ends at offset {}", at));
  }
}

TEST_F(SegmentLogTest, AMissingSegmentIsRefused) {
  options_.segment_bytes = 0;
  Open();
  AppendSynced(1, 4);
  Close();

  std::filesystem::remove(PathOf(3));

  ExpectRefused(PathOf(3), "is missing");
}

TEST_F(SegmentLogTest, AnEmptyOrForeignFileIsRefused) {
  options_.segment_bytes = 0;
  Open();
  AppendSynced(1, 4);
  Close();
  const Files whole = ReadAll();

  for (const int number : {1, 3, 4}) {
    for (const std::string& bytes :
         {std::string(), std::string(5000, 'x'), std::string(500, '\0')}) {
      Files changed = whole;
      changed.at(PathOf(number)) = bytes;
      WriteAll(changed);
      ExpectRefused(PathOf(number), "is not one of a log of Wharf");
    }
  }
}

TEST_F(SegmentLogTest, ASegmentOfAnotherPlaceInTheLogIsRefused) {
  options_.segment_bytes = 0;
  Open();
  AppendSynced(1, 4);
  Close();

  WriteFile(PathOf(5), ReadFile(PathOf(2)));
  ExpectRefused(PathOf(5), "is segment 2 under a wrong name");
}

TEST_F(SegmentLogTest, AnotherNodesAndAnotherClustersLogIsRefused) {
  AppendSynced(1, 2);
  options_.owner.node = 8;
  ExpectRefused(PathOf(1), "belongs to node 7 and not to node 8");
  options_.owner = {.cluster = "fedcba9876543210", .node = 7};
  ExpectRefused(PathOf(1), "belongs to another cluster");
}

TEST_F(SegmentLogTest, ALogOfANewerVersionIsRefused) {
  AppendSynced(1, 2);
  Close();
  std::string bytes = ReadFile(PathOf(1));
  bytes[8] = 2;
  WriteFile(PathOf(1), bytes);

  ExpectRefused(PathOf(1), "was written by a newer version");
}

// The other log has the same salts, its records are later, and they lie at other places.
TEST_F(SegmentLogTest, ABodyThatIsALogIsNotTakenForRecordsOfThisOne) {
  const QuietLog quiet;
  AppendSynced(1, 50);
  Close();
  const std::string body = ReadFile(PathOf(1));
  std::filesystem::remove_all(folder());
  Make();
  AppendSynced(1, 2);
  const std::size_t place = Places(1, 2).back();
  Append(3, 1, body);
  Sync();
  Close();

  Flip(PathOf(1), place);
  Open();

  EXPECT_EQ(log().last_index(), 2);
}

// The other log has other salts, and its records lie where they would lie in this one.
TEST_F(SegmentLogTest, ABodyThatIsALogInItsPlaceIsNotTakenForRecordsOfThisOne) {
  const QuietLog quiet;
  Close();
  std::filesystem::remove_all(folder());
  Make(2);
  AppendSynced(1, 50);
  Close();
  const std::string other = ReadFile(PathOf(1));
  std::filesystem::remove_all(folder());
  Make(1);
  AppendSynced(1, 2);
  const std::size_t place = Places(1, 2).back();
  Append(3, 1, other.substr(place + kRecordHead));
  Sync();
  Close();

  Flip(PathOf(1), place);
  Open();

  EXPECT_EQ(log().last_index(), 2);
}

TEST_F(SegmentLogTest, SegmentsAreBegunWhenTheyAreFull) {
  options_.segment_bytes = 1000;
  Open();
  AppendSynced(1, 40);

  const SegmentLog::Stats stats = log().stats();
  EXPECT_GT(stats.segments, 3);
  Close();  // What was taken ahead is given back.
  std::uint64_t bytes = 0;
  for (const auto& [path, content] : ReadAll()) {
    EXPECT_LE(content.size(), 1000);
    bytes += content.size();
  }
  EXPECT_EQ(stats.bytes, bytes);
  Open();
  EXPECT_EQ(log().stats().first_index, 1);
  EXPECT_EQ(log().stats().last_index, 40);
  ExpectEntries(1, 40);
}

TEST_F(SegmentLogTest, ACutRemovesTheSegmentsThatTheStateHas) {
  options_.segment_bytes = 1000;
  Open();
  AppendSynced(1, 40);
  const auto before = log().stats();

  ASSERT_TRUE(log().CutUpTo(30).ok());

  const auto after = log().stats();
  EXPECT_LT(after.bytes, before.bytes / 2);
  EXPECT_GT(after.first_index, 15);
  EXPECT_LE(after.first_index, 31);
  EXPECT_EQ(after.segments, CountFiles(".segment"));
  Open();
  EXPECT_EQ(log().stats().first_index, after.first_index);
  ExpectEntries(31, 40);
}

TEST_F(SegmentLogTest, SegmentsThatTheStateHasAreWrittenOver) {
  options_.segment_bytes = 1000;
  Open();
  AppendSynced(1, 40);
  ASSERT_TRUE(log().CutUpTo(40).ok());
  const std::uint64_t spares = log().stats().spares;
  ASSERT_GE(spares, 2);
  EXPECT_EQ(CountFiles(".spare"), spares);
  const std::size_t files = ReadAll().size();

  for (std::uint64_t next = 41; CountFiles(".spare") > 0; ++next) AppendSynced(next, next);

  EXPECT_EQ(ReadAll().size(), files);
  EXPECT_EQ(log().stats().spares, 0);
  const std::uint64_t last = log().last_index();
  ExpectEntries(41, last);
  // As a kill leaves it: what stood there before is behind the end, and no record of this segment.
  const Files left = ReadAll();
  WriteAll(left);
  Open();
  EXPECT_EQ(log().last_index(), last);
  ExpectEntries(41, last);
  AppendSynced(last + 1, last + 5);
  Open();
  ExpectEntries(41, last + 5);
}

// What the file held before is neither damage nor something that was lost.
TEST_F(SegmentLogTest, TheEndOfASegmentThatWasWrittenOverIsNotTorn) {
  options_.segment_bytes = 1000;
  Open();
  AppendSynced(1, 40);
  ASSERT_TRUE(log().CutUpTo(40).ok());
  while (log().stats().spares > 0) AppendSynced(log().last_index() + 1, log().last_index() + 1);
  const std::uint64_t last = log().last_index();

  const HeardLog heard;
  Open();

  EXPECT_THAT(heard.lines(), Not(Contains(HasSubstr("torn"))));
  EXPECT_EQ(log().last_index(), last);
}

TEST_F(SegmentLogTest, FewSparesAreKeptOverAStartAndNoneWhereALogBeginsAnew) {
  options_.segment_bytes = 1000;
  Open();
  AppendSynced(1, 400);
  ASSERT_TRUE(log().CutUpTo(400).ok());
  EXPECT_EQ(log().stats().spares, 8);
  Open();
  EXPECT_EQ(log().stats().spares, 8);

  ASSERT_TRUE(log().BeginAt({.index = 400, .term = 1}, HardState{}).ok());

  EXPECT_EQ(log().stats().spares, 0);
  EXPECT_EQ(CountFiles(".spare"), 0);
}

// Or what is kept would be more than is said, where segments were larger before.
TEST_F(SegmentLogTest, SparesOfAnotherSizeAreNotKept) {
  options_.segment_bytes = 4000;
  Open();
  AppendSynced(1, 200);
  ASSERT_TRUE(log().CutUpTo(200).ok());
  ASSERT_GT(log().stats().spares, 1);

  options_.segment_bytes = 1000;
  Open();

  EXPECT_EQ(log().stats().spares, 0);
  EXPECT_EQ(CountFiles(".spare"), 0);
}

// Somebody may take them for what they are, nothing, when a disk is full.
TEST_F(SegmentLogTest, SparesThatWereRemovedAreNotMissed) {
  options_.segment_bytes = 1000;
  Open();
  AppendSynced(1, 40);
  ASSERT_TRUE(log().CutUpTo(40).ok());
  ASSERT_GT(log().stats().spares, 1);
  for (const auto& [path, bytes] : ReadAll()) {
    if (path.ends_with(".spare")) std::filesystem::remove(path);
  }

  AppendSynced(41, 80);

  Open();
  ExpectEntries(41, 80);
}

TEST_F(SegmentLogTest, ACutPassesOverASegmentThatIsGoneAlready) {
  options_.segment_bytes = 1000;
  Open();
  AppendSynced(1, 40);
  ASSERT_TRUE(std::filesystem::remove(options_.path + "/00000001.segment"));

  EXPECT_TRUE(log().CutUpTo(30).ok());

  AppendSynced(41, 50);
  Open();
  ExpectEntries(31, 50);
}

// The segment in which the tail was replaced begins behind the cut, and its entries before it.
TEST_F(SegmentLogTest, ACutKeepsATailThatWasReplacedLater) {
  options_.segment_bytes = 400;
  for (std::uint64_t cut = 5; cut <= 20; ++cut) {
    SCOPED_TRACE(fmt::format("cut up to {}", cut));
    Close();
    std::filesystem::remove_all(folder());
    Make();
    AppendSynced(1, 20, 1);
    AppendSynced(5, 20, 2);
    AppendSynced(12, 20, 3);

    ASSERT_TRUE(log().CutUpTo(cut).ok());
    const LogPlace start = log().start();

    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(log().start(), start);
      EXPECT_LE(start.index, cut);
      EXPECT_EQ(log().TermOf(cut), cut >= 12 ? 3 : 2);
      if (cut < 11) ExpectEntries(cut + 1, 11, 2);
      ExpectEntries(std::max<std::uint64_t>(cut + 1, 12), 20, 3);
      Open();
    }
    AppendSynced(21, 22, 3);
    Open();
    ExpectEntries(21, 22, 3);
  }
}

TEST_F(SegmentLogTest, ASnapshotRemovesAllSegmentsBeforeIt) {
  options_.segment_bytes = 0;
  Open();
  AppendSynced(1, 5);

  ASSERT_TRUE(log().BeginAt({.index = 9, .term = 3}, HardState{.term = 3, .commit = 9}).ok());

  EXPECT_EQ(log().stats().segments, 1);
  EXPECT_EQ(ReadAll().size(), 2);  // And the lock.
}

// The process ended when the snapshot had its segment, and the others were still there.
TEST_F(SegmentLogTest, WhatASnapshotTookThePlaceOfIsRemovedUnread) {
  options_.segment_bytes = 0;
  Open();
  AppendSynced(1, 3);
  Files files = ReadAll();
  ASSERT_TRUE(log().BeginAt({.index = 9, .term = 3}, HardState{.term = 3, .commit = 9}).ok());
  files.merge(ReadAll());
  files.erase(PathOf(2));
  files.at(PathOf(3)) = "damaged";
  WriteAll(files);

  Open();

  EXPECT_EQ(log().start(), (LogPlace{9, 3}));
  EXPECT_EQ(log().hard_state().commit, 9);
  EXPECT_EQ(log().stats().segments, 1);
  EXPECT_EQ(ReadAll().size(), 2);
}

TEST_F(SegmentLogTest, AnEntryThatIsTooLargeIsRefusedAndNothingIsWritten) {
  const std::vector<LogEntry> entries = {
      {.index = 1, .term = 1, .data = "small"},
      {.index = 2, .term = 1, .data = std::string(SegmentRecord::kDataBytesMax + 1, 'x')}};

  EXPECT_EQ(log().Append(entries, std::nullopt).code(), ErrorCode::kMessageSizeExceeded);

  EXPECT_EQ(log().last_index(), 0);
  AppendSynced(1, 2);
  Open();
  ExpectEntries(1, 2);
}

TEST_F(SegmentLogTest, TheLargestEntryIsReadFromDisk) {
  options_.cache_bytes = 0;
  options_.segment_bytes = 1 << 20;
  Open();
  const std::string data(SegmentRecord::kDataBytesMax, 'x');
  AppendSynced(1, 1);
  Append(2, 1, data);
  AppendSynced(3, 3);
  Open();

  EXPECT_EQ(log().Read(2, 3, kAll)->front().data, data);
  ExpectEntries(3, 3);
}

TEST_F(SegmentLogTest, DamageIsNotReadAsAnEntry) {
  options_.cache_bytes = 0;
  AppendSynced(1, 5);
  Open();
  const std::size_t place = Places(1, 5)[2];

  Flip(PathOf(1), place + kRecordHead);

  const auto damaged = log().Read(2, 5, kAll);
  EXPECT_TRUE(damaged.status().is_damage());
  EXPECT_THAT(damaged.status().message(),
              AllOf(HasSubstr(PathOf(1)), HasSubstr(fmt::format("offset {}", place))));
  ExpectEntries(4, 5);
}

TEST_F(SegmentLogTest, SyncsAreTimedAndOneWithoutAWriteCostsNothing) {
  AppendSynced(1, 3);
  const auto stats = log().stats();
  EXPECT_EQ(stats.sync_latency.count, 3);
  EXPECT_EQ(stats.sync_latency.sum, Duration(30));
  EXPECT_EQ(stats.sync_age, Duration(0));
}

}  // namespace
}  // namespace wharf
