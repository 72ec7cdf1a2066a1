// What a start finds of what the process before had begun: a snapshot that takes the state's place,
// a cluster that is founded on a broker's data. Ended between any two steps. Reliability 36, 62.

#include "replication/cluster_node/node_folder.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/base/random.h"
#include "tests/quiet_log.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

constexpr TableId kRows = 0;
constexpr TableId kMeta = 1;
const StatePositionRow kPosition{.table = kMeta};
const NodeIdentity kIdentity{ClusterId::FromBytes(std::string(16, 'c')).value(), NodeId(5), "n1"};

class NodeFolderTest : public ::testing::Test {
 protected:
  std::string data() const { return temp_.path() + "/data"; }
  NodeFolder folder() { return NodeFolder(data(), random_); }
  StateFolder states() const { return StateFolder(data()); }

  RocksStoreOptions StoreAt(const std::string& path, bool is_single = false) const {
    RocksStoreOptions options{.path = path, .tables = {{.name = "rows"}, {.name = "meta"}}};
    if (!is_single) options.position = kPosition;
    return options;
  }
  // A state in which one row says whose it is.
  void MakeState(const std::string& path, const std::string& whose, const StatePosition& position,
                 bool is_single = false) {
    auto store = RocksStore::Open(StoreAt(path, is_single)).value();
    WriteBatch batch;
    batch.Put(kRows, "whose", whose);
    if (!is_single) kPosition.Put(position, batch);
    ASSERT_TRUE(store->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
    ASSERT_TRUE(store->CloseCleanly().ok());
  }
  void MakeNode() {
    MakeState(data(), "before", {.index = 3, .term = 1, .members = "m"});
    ASSERT_TRUE(folder().Join(Invitation{.identity = kIdentity}).ok());
  }
  void BeginLogAt(const LogPlace& place) {
    const auto log = folder().OpenLog(kIdentity).value();
    ASSERT_TRUE(log->BeginAt(place, {.term = place.term, .commit = place.index}).ok());
  }
  void BringSnapshot(const LogPlace& place) {
    MakeState(states().incoming(), "of the snapshot",
              {.index = place.index, .term = place.term, .members = "m"});
    ASSERT_TRUE(states().Keep(place).ok());
  }
  // As a start does: where it is, and whose.
  std::string Settle() {
    const Result<std::string> path = folder().Settle("n1", StoreAt(data()));
    EXPECT_TRUE(path.ok()) << path.status().message();
    return path.ok() ? *path : std::string();
  }
  std::string WhoseStateAfterAStart() {
    const std::string path = Settle();
    const auto store = RocksStore::Open(StoreAt(path)).value();
    return store->View()->Get(kRows, "whose").value().value_or("nobody's");
  }
  bool Has(const std::string& name) const { return fs::exists(data() + "/" + name); }

  QuietLog quiet_;
  TempFolder temp_;
  SeededRandom random_{3};
};

TEST_F(NodeFolderTest, AStateWithoutASnapshotStaysWhereItIs) {
  MakeNode();
  EXPECT_EQ(Settle(), data());
  EXPECT_EQ(WhoseStateAfterAStart(), "before");
}

// The process ended before the log said so: the snapshot never counted.
TEST_F(NodeFolderTest, ASnapshotThatTheLogDoesNotBeginAtIsRemoved) {
  MakeNode();
  BringSnapshot({40, 2});

  EXPECT_EQ(WhoseStateAfterAStart(), "before");

  EXPECT_FALSE(Has("state.40.2"));
}

TEST_F(NodeFolderTest, ASnapshotThatTheLogBeginsAtTakesTheStatesPlace) {
  MakeNode();
  BringSnapshot({40, 2});
  BeginLogAt({40, 2});

  EXPECT_EQ(WhoseStateAfterAStart(), "of the snapshot");

  EXPECT_EQ(Settle(), data() + "/state.40.2");
  EXPECT_FALSE(Has("CURRENT")) << "the state before takes no space";
  // The next one, from its own folder.
  BringSnapshot({70, 2});
  BeginLogAt({70, 2});
  EXPECT_EQ(WhoseStateAfterAStart(), "of the snapshot");
  EXPECT_EQ(Settle(), data() + "/state.70.2");
  EXPECT_FALSE(Has("state.40.2"));
}

TEST_F(NodeFolderTest, TheStateInUseIsNotReplacedUnderItself) {
  MakeNode();
  BringSnapshot({40, 2});
  BeginLogAt({40, 2});
  Settle();
  fs::create_directory(states().incoming());

  EXPECT_FALSE(states().Keep({40, 2}).ok());

  EXPECT_EQ(WhoseStateAfterAStart(), "of the snapshot");
}

// Of another term it is another history.
TEST_F(NodeFolderTest, ASnapshotOfTheSameEntryAndAnotherTermIsAnotherOne) {
  MakeNode();
  BringSnapshot({40, 2});
  BeginLogAt({40, 3});

  EXPECT_EQ(WhoseStateAfterAStart(), "before");
}

// The name is there, what was before not yet removed; and the other way round, half of it.
TEST_F(NodeFolderTest, AnEndBetweenTheNameAndTheRemovalChangesNothing) {
  MakeNode();
  BringSnapshot({40, 2});
  BeginLogAt({40, 2});
  std::ofstream(data() + "/STATE") << "state.40.2";

  EXPECT_EQ(WhoseStateAfterAStart(), "of the snapshot");
}

TEST_F(NodeFolderTest, APointerToElsewhereIsDamage) {
  MakeNode();
  for (const char* const name : {"../other", "entries", "state.1.1/../../x"}) {
    std::ofstream(data() + "/STATE") << name;
    const Result<std::string> path = folder().Settle("n1", StoreAt(data()));
    ASSERT_FALSE(path.ok()) << name;
    EXPECT_TRUE(path.status().is_damage());
  }
}

class FoundingTest : public NodeFolderTest {
 protected:
  FoundingTest() { MakeState(data(), "a broker's", {}, /*is_single=*/true); }
  StatePosition PositionAfterAStart() {
    const std::string path = Settle();
    const auto store = RocksStore::Open(StoreAt(path)).value();
    return kPosition.Read(*store).value();
  }
};

TEST_F(FoundingTest, DataBecomeTheStateBehindTheFirstEntry) {
  ASSERT_TRUE(folder().FoundWithData(kIdentity, "the members").ok());

  EXPECT_EQ(PositionAfterAStart(), (StatePosition{1, 1, "the members"}));
  EXPECT_EQ(WhoseStateAfterAStart(), "a broker's");
  EXPECT_EQ(folder().OpenLog(kIdentity).value()->start(), (LogPlace{1, 1}));
  EXPECT_FALSE(Has("FOUNDING"));
}

// No identity: nobody was told that there is a cluster.
TEST_F(FoundingTest, OneThatDidNotGetToItsEndNeverWas) {
  ASSERT_TRUE(folder().FoundWithData(kIdentity, "the members").ok());
  fs::remove(data() + "/NODE");

  EXPECT_EQ(Settle(), data());

  EXPECT_TRUE(RocksStore::IsOfSingleNode(StoreAt(data())));
  EXPECT_FALSE(Has("FOUNDING"));
  ASSERT_TRUE(folder().FoundWithData(kIdentity, "other members").ok());
  EXPECT_EQ(PositionAfterAStart().members, "other members");
}

TEST_F(FoundingTest, AnEndBehindTheConversionConvertsNothingTwice) {
  ASSERT_TRUE(folder().FoundWithData(kIdentity, "the members").ok());
  Settle();
  {
    auto store = RocksStore::Open(StoreAt(data())).value();
    WriteBatch batch;
    kPosition.Put({.index = 9, .term = 1, .members = "the members"}, batch);
    ASSERT_TRUE(store->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
    ASSERT_TRUE(store->CloseCleanly().ok());
  }
  std::ofstream(data() + "/FOUNDING") << "the members";

  EXPECT_EQ(PositionAfterAStart().index, 9);
}

TEST_F(FoundingTest, AClusterIsFoundedOnce) {
  ASSERT_TRUE(folder().FoundWithData(kIdentity, "the members").ok());
  EXPECT_THAT(folder().FoundWithData(kIdentity, "others").message(), HasSubstr("belongs to"));
}

}  // namespace
}  // namespace wharf
