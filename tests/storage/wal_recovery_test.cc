// What a start does with a damaged write-ahead log: a torn end is dropped, everything else is
// refused, and nothing that was changed is ever served.

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/rocks/rocks_store.h"
#include "tests/log_like_bodies.h"
#include "tests/quiet_log.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr int kGroups = 5;
// Of the log.
constexpr std::size_t kBlockBytes = 32 * 1024;

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteFile(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

std::string ValueOfGroup(int group, std::size_t bytes) {
  return std::string(bytes, static_cast<char>('a' + group));
}

// A folder as a killed broker left it: groups 0, 1, … each written and synced, in one log.
class KilledFolder {
 public:
  explicit KilledFolder(const std::vector<std::size_t>& group_bytes)
      : KilledFolder(PlainValues(group_bytes)) {}

  // What a group holds, from what the log is before it.
  using ValueFrom = std::function<std::string(const std::string& log)>;
  explicit KilledFolder(const std::vector<ValueFrom>& values) {
    const auto store = Open(temp_.path() + "/original").value();
    for (const ValueFrom& value_from : values) {
      const std::string log = Log(temp_.path() + "/original").bytes;
      log_ends_.push_back(log.size());
      const std::string group = std::to_string(values_.size());
      values_.push_back(value_from(log));
      WriteBatch batches[2];
      batches[0].Put(0, "key " + group, values_.back());
      batches[1].Put(0, "last", group);
      EXPECT_TRUE(store->Write(batches, RocksStore::Sync::kYes).ok());
    }
    fs::copy(temp_.path() + "/original", temp_.path() + "/killed");
    log_ = Log(temp_.path() + "/killed");
  }

  const std::string& log() const { return log_.bytes; }
  // Where the log ended before the last group.
  std::size_t last_group_at() const { return log_ends_.back(); }
  // How many groups are whole in the first `bytes` of the log.
  int WholeGroups(std::size_t bytes) const {
    int groups = 0;
    for (std::size_t i = 1; i < log_ends_.size(); ++i) groups += bytes >= log_ends_[i];
    return groups + (bytes >= log_.bytes.size());
  }

  // Opens a copy of the folder whose log has these bytes, and may be followed by another.
  Result<std::unique_ptr<RocksStore>> OpenWith(const std::string& log,
                                               const std::string& next_log = "") {
    fs::remove_all(copy_);
    fs::copy(temp_.path() + "/killed", copy_);
    AddLog(log_.name, log);
    if (!next_log.empty()) AddLog("000101.log", next_log);
    return OpenAgain();
  }
  // Opens a copy of the folder that has no log any more.
  Result<std::unique_ptr<RocksStore>> OpenWithoutLog() {
    fs::remove_all(copy_);
    fs::copy(temp_.path() + "/killed", copy_);
    fs::remove(copy_ + "/" + log_.name);
    return OpenAgain();
  }
  Result<std::unique_ptr<RocksStore>> OpenWithoutIdentity() {
    fs::remove_all(copy_);
    fs::copy(temp_.path() + "/killed", copy_);
    fs::remove(copy_ + "/IDENTITY");
    return OpenAgain();
  }
  // Puts another log beside it.
  void AddLog(const std::string& name, const std::string& log) {
    WriteFile(copy_ + "/" + name, log);
  }
  Result<std::unique_ptr<RocksStore>> OpenAgain() { return Open(copy_); }

  // The number of groups in the store; fails the test if they are not exactly the first ones,
  // unchanged.
  int CountGroups(const RocksStore& store) const {
    const auto view = store.View();
    const std::optional<std::string> last = view->Get(0, "last").value();
    const int groups = last.has_value() ? std::stoi(*last) + 1 : 0;
    for (int group = 0; group < static_cast<int>(values_.size()); ++group) {
      const auto value = view->Get(0, "key " + std::to_string(group)).value();
      EXPECT_EQ(value.has_value(), group < groups) << "a hole at group " << group;
      EXPECT_TRUE(value.value_or(values_[group]) == values_[group]) << "another group " << group;
    }
    return groups;
  }

 private:
  struct LogFile {
    std::string name;
    std::string bytes;
  };

  static std::vector<ValueFrom> PlainValues(const std::vector<std::size_t>& group_bytes) {
    std::vector<ValueFrom> values;
    for (const std::size_t bytes : group_bytes) {
      const int group = static_cast<int>(values.size());
      values.emplace_back([=](const std::string&) { return ValueOfGroup(group, bytes); });
    }
    return values;
  }

  static Result<std::unique_ptr<RocksStore>> Open(const std::string& path) {
    return RocksStore::Open({.path = path, .tables = {{.name = "table"}}});
  }

  static LogFile Log(const std::string& path) {
    LogFile log;
    for (const auto& file : fs::directory_iterator(path)) {
      if (file.path().extension() == ".log" && file.file_size() > 0) {
        EXPECT_TRUE(log.name.empty()) << "more than one log";
        log = {file.path().filename(), ReadFile(file.path())};
      }
    }
    return log;
  }

  QuietLog quiet_;
  TempFolder temp_;
  const std::string copy_ = temp_.path() + "/copy";
  std::vector<std::string> values_;
  std::vector<std::size_t> log_ends_;  // Before each group.
  LogFile log_;
};

// reliability 10
TEST(WalRecoveryTest, LogCutAtAnyByteOpensWithTheWholeGroups) {
  KilledFolder folder({20, 10, 30, 10, 20});

  for (std::size_t size = 0; size <= folder.log().size(); ++size) {
    SCOPED_TRACE(size);
    const auto store = folder.OpenWith(folder.log().substr(0, size));

    ASSERT_TRUE(store.ok()) << store.status().message();
    ASSERT_EQ(folder.CountGroups(**store), folder.WholeGroups(size));
  }
}

// reliability 21
TEST(WalRecoveryTest, FlippedBitIsRefusedOrInTheLastGroup) {
  KilledFolder folder({20, 10, 30, 10, 20});

  for (std::size_t at = 0; at < folder.log().size(); ++at) {
    SCOPED_TRACE(at);
    std::string flipped = folder.log();
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    const auto store = folder.OpenWith(flipped);

    if (at < folder.last_group_at()) {
      ASSERT_FALSE(store.ok());
      ASSERT_THAT(store.status().message(), HasSubstr(".log is damaged at byte "));
    } else {
      ASSERT_TRUE(store.ok()) << store.status().message();
      ASSERT_EQ(folder.CountGroups(**store), kGroups - 1);
    }
  }
}

// RocksDB's own reader takes a zeroed stretch for space that was only reserved.
TEST(WalRecoveryTest, ZeroedStretchIsRefusedOrInTheLastGroup) {
  KilledFolder folder({20, 10, 30, 10, 20});
  constexpr std::size_t kStretch = 16;

  for (std::size_t at = 0; at + kStretch <= folder.log().size(); ++at) {
    // One that reaches from the group before into the last one looks like a torn tail.
    if (at < folder.last_group_at() && at + kStretch > folder.last_group_at()) continue;
    SCOPED_TRACE(at);
    std::string zeroed = folder.log();
    zeroed.replace(at, kStretch, kStretch, '\0');
    const auto store = folder.OpenWith(zeroed);

    ASSERT_EQ(store.ok(), at >= folder.last_group_at());
    if (store.ok()) {
      ASSERT_EQ(folder.CountGroups(**store), kGroups - 1);
    }
  }
}

TEST(WalRecoveryTest, ZerosBehindTheLastGroupAreDropped) {
  KilledFolder folder({20, 10, 30, 10, 20});

  for (const std::size_t zeros : {1, 6, 7, 100, 40'000}) {
    const auto store = folder.OpenWith(folder.log() + std::string(zeros, '\0'));

    ASSERT_TRUE(store.ok()) << store.status().message();
    EXPECT_EQ(folder.CountGroups(**store), kGroups);
  }
}

// Groups that span several blocks of the log, and ends that fall on and near the edges of blocks.
TEST(WalRecoveryTest, LargeGroupsCutAnywhereOpenWithTheWholeGroups) {
  KilledFolder folder({100'000, 32'650, 10, 70'000, 90'000});

  for (std::size_t size = 0; size <= folder.log().size(); size += 997) {
    SCOPED_TRACE(size);
    const auto store = folder.OpenWith(folder.log().substr(0, size));

    ASSERT_TRUE(store.ok()) << store.status().message();
    ASSERT_EQ(folder.CountGroups(**store), folder.WholeGroups(size));
  }
}

TEST(WalRecoveryTest, LargeGroupsFlippedAnywhereAreRefusedOrTheLast) {
  KilledFolder folder({100'000, 32'650, 10, 70'000, 90'000});

  for (std::size_t at = 0; at < folder.log().size(); at += 1'009) {
    SCOPED_TRACE(at);
    std::string flipped = folder.log();
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    const auto store = folder.OpenWith(flipped);

    ASSERT_EQ(store.ok(), at >= folder.last_group_at());
    if (store.ok()) {
      ASSERT_EQ(folder.CountGroups(**store), kGroups - 1);
    }
  }
}

// Damages the log before, over and behind the edge of each of its blocks: refused, or only the last
// group is lost.
template <typename Damage>
void DamageEdges(KilledFolder& folder, std::size_t bytes, Damage damage) {
  for (std::size_t edge = kBlockBytes; edge < folder.log().size(); edge += kBlockBytes) {
    for (std::size_t at = edge - bytes; at <= edge; ++at) {
      SCOPED_TRACE(at);
      std::string damaged = folder.log();
      damage(damaged, at);
      const auto store = folder.OpenWith(damaged);

      ASSERT_EQ(store.ok(), at >= folder.last_group_at());
      if (store.ok()) {
        ASSERT_EQ(folder.CountGroups(**store), kGroups - 1);
      }
    }
  }
}

// The second block begins in the midst of the first group, and has all the others.
TEST(WalRecoveryTest, DamageOverTheEdgeOfABlockHidesNoGroupsBehindIt) {
  KilledFolder folder({40'000, 10, 20, 30, 10});
  constexpr std::size_t kStretch = 16;

  DamageEdges(folder, kStretch,
              [](std::string& log, std::size_t at) { log.replace(at, kStretch, kStretch, '\0'); });
}

TEST(WalRecoveryTest, LargeGroupsDamagedAtTheEdgesOfBlocksAreRefusedOrTheLast) {
  KilledFolder folder({100'000, 32'650, 10, 70'000, 90'000});
  constexpr std::size_t kStretch = 16;

  DamageEdges(folder, kStretch,
              [](std::string& log, std::size_t at) { log.replace(at, kStretch, kStretch, '\0'); });
  DamageEdges(folder, 1,
              [](std::string& log, std::size_t at) { log[at] = static_cast<char>(log[at] ^ 1); });
}

// reliability 9: pages of the last group may be lost while later ones of it are there.
TEST(WalRecoveryTest, LostPagesOfTheLastGroupDropIt) {
  KilledFolder folder({100'000, 32'650, 10, 70'000, 90'000});

  const std::size_t first_page = folder.last_group_at() / 4096 + 1;
  for (std::size_t page = first_page; page * 4096 < folder.log().size(); ++page) {
    SCOPED_TRACE(page);
    std::string torn = folder.log();
    for (std::size_t i = page * 4096; i < std::min((page + 1) * 4096, torn.size()); ++i)
      torn[i] = 0;
    const auto store = folder.OpenWith(torn);

    ASSERT_TRUE(store.ok()) << store.status().message();
    ASSERT_EQ(folder.CountGroups(**store), kGroups - 1);
  }
}

// A log may be what a message holds: seven bytes are a record, of type FULL and without content;
// somebody ships the log of another store, or backs this very one up.
std::vector<KilledFolder::ValueFrom> GroupsThatLookLikeLogs() {
  const auto plain = [](const std::string&) { return std::string(20'000, 'x'); };
  return {
      plain, plain, [](const std::string& log) {
        const std::string other = KilledFolder(std::vector<std::size_t>{100, 40'000, 200}).log();
        return other + log + EmptyLogRecords(3'000) + log + EmptyLogRecords(1);
      }};
}

TEST(WalRecoveryTest, ValuesThatLookLikeLogsMakeNoTornTailADamage) {
  KilledFolder folder(GroupsThatLookLikeLogs());

  for (std::size_t size = folder.last_group_at(); size <= folder.log().size(); size += 499) {
    SCOPED_TRACE(size);
    const auto store = folder.OpenWith(folder.log().substr(0, size));
    ASSERT_TRUE(store.ok()) << store.status().message();
    ASSERT_EQ(folder.CountGroups(**store), folder.WholeGroups(size));
  }
  for (std::size_t at = folder.last_group_at(); at < folder.log().size(); at += 499) {
    SCOPED_TRACE(at);
    std::string flipped = folder.log();
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    const auto store = folder.OpenWith(flipped);
    ASSERT_TRUE(store.ok()) << store.status().message();
    ASSERT_EQ(folder.CountGroups(**store), 2);
  }
}

TEST(WalRecoveryTest, DamageBeforeValuesThatLookLikeLogsIsRefused) {
  KilledFolder folder(GroupsThatLookLikeLogs());

  for (std::size_t at = 0; at < folder.last_group_at(); at += 97) {
    SCOPED_TRACE(at);
    std::string flipped = folder.log();
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    ASSERT_THAT(folder.OpenWith(flipped).status().message(), HasSubstr(".log is damaged at byte "));
  }
}

// Of the last group there may be a few bytes in one block, and the rest, with its mark, in the
// next.
TEST(WalRecoveryTest, DamageIsRefusedWhereverInItsBlockTheLastGroupBegins) {
  const std::size_t around = KilledFolder(std::vector<std::size_t>{0, 0}).last_group_at();
  for (std::size_t left = 0; left <= 80; ++left) {
    SCOPED_TRACE(std::to_string(left) + " bytes before the next block");
    KilledFolder folder({kBlockBytes - around - left, 40'000});
    ASSERT_TRUE(folder.OpenWith(folder.log()).ok());
    std::string flipped = folder.log();
    flipped[100] = static_cast<char>(flipped[100] ^ 1);

    ASSERT_THAT(folder.OpenWith(flipped).status().message(), HasSubstr(".log is damaged at byte "));
  }
}

// Sequence numbers go on from one log to the next.
TEST(WalRecoveryTest, CopyOfAnOlderLogIsNoGroupOfALaterOne) {
  KilledFolder folder(GroupsThatLookLikeLogs());
  const std::string whole = folder.log().substr(0, folder.last_group_at());

  const auto store = folder.OpenWith(whole, "its first group is torn" + whole);

  ASSERT_TRUE(store.ok()) << store.status().message();
  EXPECT_EQ(folder.CountGroups(**store), 2);
}

// Found by the power test: an old log came back because its deletion was not synced, and what a
// failed sync had left in the page cache was gone from it.
TEST(WalRecoveryTest, OldLogThatComesBackTornIsNotTakenForCorruption) {
  KilledFolder folder({20, 10, 30, 10, 20});
  ASSERT_TRUE(folder.OpenWith(folder.log()).ok());

  folder.AddLog("000001.log", folder.log().substr(0, folder.log().size() - 1));
  const auto store = folder.OpenAgain();

  ASSERT_TRUE(store.ok()) << store.status().message();
  EXPECT_EQ(folder.CountGroups(**store), kGroups);
}

TEST(WalRecoveryTest, TornTailBeforeALaterLogIsCorruption) {
  KilledFolder folder({20, 10, 30, 10, 20});
  const std::string torn = folder.log().substr(0, folder.log().size() - 1);
  ASSERT_TRUE(folder.OpenWith(folder.log()).ok());

  folder.AddLog("000101.log", torn);
  folder.AddLog("000102.log", folder.log());
  EXPECT_THAT(folder.OpenAgain().status().message(), HasSubstr("000101.log is damaged at byte "));

  folder.AddLog("000102.log", "not a record");
  EXPECT_THAT(folder.OpenAgain().status().message(), HasSubstr("000101.log is damaged at byte "));
}

TEST(WalRecoveryTest, MissingLogIsRefusedAgainAndAgain) {
  KilledFolder folder({100, 200});

  EXPECT_THAT(folder.OpenWithoutLog().status().message(), HasSubstr("has no write-ahead log"));
  EXPECT_THAT(folder.OpenAgain().status().message(), HasSubstr("has no write-ahead log"));
}

// Without it nobody could tell a group of this store from a copy.
TEST(WalRecoveryTest, MissingIdentityIsRefused) {
  KilledFolder folder({100, 200});

  const auto store = folder.OpenWithoutIdentity();

  EXPECT_THAT(store.status().message(), HasSubstr("has lost its file IDENTITY; restore"));
}

TEST(WalRecoveryTest, RecoveredStoreGoesOnAndOpensAgain) {
  KilledFolder folder({20, 10, 30, 10, 20});
  const auto store = folder.OpenWith(folder.log().substr(0, folder.log().size() - 1));
  ASSERT_TRUE(store.ok());

  WriteBatch batch;
  batch.Put(0, "key 4", ValueOfGroup(4, 20));
  batch.Put(0, "last", "4");

  EXPECT_TRUE((*store)->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
  EXPECT_EQ(folder.CountGroups(**store), kGroups);
}

}  // namespace
}  // namespace wharf
