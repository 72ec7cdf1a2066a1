// What a start finds of what the process before had begun: a snapshot that takes the state's place,
// a cluster that is founded on a broker's data, a state that is lost. Ended between any two steps.
// Reliability 36, 62.

#include "replication/cluster_node/node_folder.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replication/cluster_node/member_book.h"
#include "replication/cluster_node/node_store.h"
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

// A state that is lost, in a cluster that has another node; ended between any two steps.
class LostStateFolderTest : public NodeFolderTest {
 protected:
  // The state is in a folder of its own by then.
  LostStateFolderTest() {
    MakeNode();
    const MemberBook book{"", {{5, "n1", "n1:1", ""}, {6, "n2", "n2:1", ""}}};
    EXPECT_TRUE(folder().KeepMembers(book.Encode()).ok());
    BringSnapshot({40, 2});
    BeginLogAt({40, 2});
    EXPECT_EQ(WhoseStateAfterAStart(), "of the snapshot");
  }
  void Damage(const std::string& state) { std::ofstream(data() + "/" + state + "/CURRENT") << "x"; }
  void Mark(const std::string& name) { std::ofstream(data() + "/DAMAGED") << name; }
  // Why the state is lost; empty: it is there.
  std::string LostAtAStart() {
    const Result<NodeStore> opened = OpenNodeStore(folder(), "n1", StoreAt(data()));
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    return opened.ok() ? opened->lost : std::string();
  }
  void BringFiles(const LogPlace& place) {
    MakeState(states().incoming(), "of another node",
              {.index = place.index, .term = place.term, .members = "m"});
  }
};

TEST_F(LostStateFolderTest, OneThatIsThereIsOpened) {
  EXPECT_EQ(LostAtAStart(), "");
  Mark("state.9.1");
  EXPECT_EQ(LostAtAStart(), "") << "the mark of one that was before";
}

TEST_F(LostStateFolderTest, OneThatIsDamagedStepsAsideAndStays) {
  Damage("state.40.2");

  for (int start = 0; start < 2; ++start) EXPECT_NE(LostAtAStart(), "");

  EXPECT_TRUE(Has("damaged/CURRENT"));
  EXPECT_FALSE(Has("state.40.2"));
  EXPECT_FALSE(Has("DAMAGED"));
}

TEST_F(LostStateFolderTest, AnEndBehindTheMarkGoesOnWithTheStep) {
  Mark("state.40.2");

  EXPECT_THAT(LostAtAStart(), HasSubstr("was found to be damaged"));

  EXPECT_TRUE(Has("damaged/CURRENT"));
  EXPECT_FALSE(Has("DAMAGED"));
}

TEST_F(LostStateFolderTest, AnEndBehindTheStepForgetsTheMark) {
  Mark("state.40.2");
  fs::rename(data() + "/state.40.2", data() + "/damaged");

  EXPECT_NE(LostAtAStart(), "");

  EXPECT_TRUE(Has("damaged/CURRENT"));
  EXPECT_FALSE(Has("DAMAGED"));
}

// Of the same entry, so it has the same name.
TEST_F(LostStateFolderTest, TheOneThatCameTakesItsPlace) {
  Damage("state.40.2");
  EXPECT_NE(LostAtAStart(), "");
  BringFiles({40, 2});

  ASSERT_TRUE(states().Replace({40, 2}).ok());

  EXPECT_EQ(WhoseStateAfterAStart(), "of another node");
  EXPECT_EQ(LostAtAStart(), "");
  ASSERT_TRUE(states().ForgetLost().ok());
  EXPECT_FALSE(Has("damaged"));
  EXPECT_FALSE(Has("stand-in"));
}

// Its files are whole, and nothing names them: they are asked for again.
TEST_F(LostStateFolderTest, AnEndBeforeTheNameLeavesItLost) {
  Damage("state.40.2");
  EXPECT_NE(LostAtAStart(), "");
  BringFiles({50, 2});
  fs::rename(states().incoming(), data() + "/state.50.2");

  EXPECT_NE(LostAtAStart(), "");

  EXPECT_FALSE(Has("state.50.2"));
  EXPECT_TRUE(Has("damaged/CURRENT"));
}

TEST_F(LostStateFolderTest, AnEndBehindTheNameOpensTheOneThatCame) {
  Damage("state.40.2");
  EXPECT_NE(LostAtAStart(), "");
  BringFiles({50, 2});
  fs::rename(states().incoming(), data() + "/state.50.2");
  std::ofstream(data() + "/STATE") << "state.50.2";

  EXPECT_EQ(WhoseStateAfterAStart(), "of another node");

  ASSERT_TRUE(states().ForgetLost().ok());
  EXPECT_FALSE(Has("damaged"));
}

// It stays in DATA itself until the name says otherwise, and for the moment behind that.
TEST_F(LostStateFolderTest, OneInDataItselfIsRemovedBehindTheName) {
  fs::remove(data() + "/STATE");
  fs::remove_all(data() + "/state.40.2");
  MakeState(data(), "before", {.index = 41, .term = 2, .members = "m"});
  ASSERT_TRUE(states().MarkDamaged().ok());
  for (int start = 0; start < 2; ++start) EXPECT_NE(LostAtAStart(), "");
  EXPECT_TRUE(Has("CURRENT"));
  BringFiles({50, 2});
  fs::rename(states().incoming(), data() + "/state.50.2");
  std::ofstream(data() + "/STATE") << "state.50.2";

  EXPECT_EQ(WhoseStateAfterAStart(), "of another node");

  ASSERT_TRUE(states().ForgetLost().ok());
  EXPECT_FALSE(Has("CURRENT"));
  EXPECT_FALSE(Has("DAMAGED"));
  EXPECT_EQ(WhoseStateAfterAStart(), "of another node");
}

// A compaction may meet the damage while the start has still to tidy up.
TEST_F(LostStateFolderTest, WhatIsMarkedSinceItWasOpenedStaysMarked) {
  ASSERT_EQ(LostAtAStart(), "");

  ASSERT_TRUE(states().MarkDamaged().ok());
  ASSERT_TRUE(states().ForgetLost().ok());

  EXPECT_THAT(LostAtAStart(), HasSubstr("was found to be damaged"));
}

TEST_F(LostStateFolderTest, WhoeverMeetsDamageHasItMarkedWhoeverElseDoes) {
  for (int round = 0; round < 100; ++round) {
    fs::remove(data() + "/DAMAGED");
    std::atomic<int> unmarked = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        if (!states().MarkDamaged().ok() || !Has("DAMAGED")) ++unmarked;
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(unmarked, 0);
  }
}

TEST_F(LostStateFolderTest, WithoutOthersEverythingStays) {
  ASSERT_TRUE(folder().KeepMembers(MemberBook{"", {{5, "n1", "n1:1", ""}}}.Encode()).ok());
  Damage("state.40.2");

  const Result<NodeStore> opened = OpenNodeStore(folder(), "n1", StoreAt(data()));

  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.status().message(), HasSubstr("knows no other one"));
  EXPECT_TRUE(Has("state.40.2/CURRENT"));
  EXPECT_FALSE(Has("DAMAGED"));
  EXPECT_FALSE(Has("stand-in"));
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
