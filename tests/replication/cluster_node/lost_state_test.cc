// A node whose state is lost, while its log and its vote are whole.

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/replication/cluster_node/cluster_node_fixture.h"
#include "tests/storage/damaged_block.h"

namespace wharf {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

// A state that is lost, while log and vote are whole.
class LostStateTest : public ShortLogTest {
 protected:
  static std::string StateOf(Machine& machine) { return machine.folder().states().path().value(); }
  // Bytes that no RocksDB wrote.
  static void DamageState(Machine& machine) {
    std::ofstream(StateOf(machine) + "/CURRENT") << "nothing";
  }
  static void LoseState(Machine& machine) { fs::remove_all(StateOf(machine)); }
  // Until its log begins behind what it would need to make its state anew.
  void PutMoreThanTheLogHas() {
    PutMany(all(), "row", 600);
    for (Machine* machine : all()) {
      ASSERT_TRUE(Eventually([machine] { return machine->Report().log.first_index > 100; }));
    }
    ASSERT_TRUE(Eventually([this] { return HasAll(c_, "row", 600); }));
  }
  // Until the others' logs begin behind what this one has, which is stopped.
  void GoOnWithout(Machine& machine) {
    const std::uint64_t last = machine.Report().log.last_index;
    machine.Stop();
    PutMany({&a_, &b_}, "away", 600);
    for (Machine* other : {&a_, &b_}) {
      ASSERT_TRUE(Eventually([&] { return other->Report().log.first_index > last + 1; }));
    }
  }
  // A state in a folder of its own: that of a snapshot.
  void BringSnapshotTo(Machine& machine) {
    ASSERT_NO_FATAL_FAILURE(GoOnWithout(machine));
    machine.Start();
    ASSERT_TRUE(Eventually([&machine] { return HasAll(machine, "away", 600); }));
    ASSERT_NE(StateOf(machine), machine.data());
  }
  void ExpectTakesPart(Machine& machine, Machine& one, Machine& other) {
    EXPECT_TRUE(Eventually([&machine] { return HasAll(machine, "row", 600); }));
    EXPECT_FALSE(machine.node().lacks_state());
    other.Stop();
    PutSomewhere({&machine, &one}, "without", other.name());
    EXPECT_TRUE(Eventually([&] { return Has(machine, "without", other.name()); }));
  }
};

TEST_F(LostStateTest, AFollowerWhoseStateIsDamagedTakesThatOfAnotherOne) {
  FoundThree();
  PutMoreThanTheLogHas();
  c_.Stop();
  DamageState(c_);
  PutSomewhere({&a_, &b_}, "meanwhile", "acknowledged");

  c_.Start();

  EXPECT_TRUE(Eventually([this] { return Has(c_, "meanwhile", "acknowledged"); }));
  EXPECT_EQ(c_.reopened, 1);
  EXPECT_NE(StateOf(c_), c_.data());
  EXPECT_FALSE(fs::exists(c_.data() + "/CURRENT")) << "the damaged one takes no space";
  ExpectTakesPart(c_, b_, a_);
  c_.Stop();
  c_.Start();
  EXPECT_TRUE(Eventually([this] { return HasAll(c_, "row", 600); }));
}

// And that of the same entry as the one that was lost, because nothing was written since.
TEST_F(LostStateTest, OneThatIsNotThereIsTakenAgainAndAgain) {
  FoundThree();
  PutMoreThanTheLogHas();
  ASSERT_NO_FATAL_FAILURE(BringSnapshotTo(c_));
  for (int time = 0; time < 2; ++time) {
    c_.Stop();
    LoseState(c_);
    c_.Start();
    EXPECT_TRUE(Eventually([this] { return HasAll(c_, "away", 600); }));
  }
  ASSERT_NO_FATAL_FAILURE(ExpectTakesPart(c_, b_, a_));
}

// What it acknowledged behind the snapshot is in its log, and counts.
TEST_F(LostStateTest, TheLogIsKeptAndGoneOnWith) {
  FoundThree();
  PutMoreThanTheLogHas();
  const std::uint64_t vote_of = c_.Report().term;
  c_.Stop();
  DamageState(c_);

  c_.Start();

  ASSERT_TRUE(Eventually([this] { return HasAll(c_, "row", 600); }));
  EXPECT_GE(c_.Report().term, vote_of);
  EXPECT_LE(c_.Report().log.first_index, c_.Report().applied);
  EXPECT_EQ(c_.node().cluster(), a_.node().cluster());
}

TEST_F(LostStateTest, OneWhoseLogEndsBeforeTheSnapshotBeginsItAnewThere) {
  FoundThree();
  PutMoreThanTheLogHas();
  ASSERT_NO_FATAL_FAILURE(GoOnWithout(c_));
  DamageState(c_);

  c_.Start();

  EXPECT_TRUE(Eventually([this] { return HasAll(c_, "away", 600); }));
  ExpectTakesPart(c_, b_, a_);
}

// The third does not lead, for want of a majority, and has what both need.
TEST_F(LostStateTest, OneStateIsEnoughForAll) {
  FoundThree();
  PutMoreThanTheLogHas();
  for (Machine* machine : all()) machine->Stop();
  DamageState(a_);
  DamageState(b_);

  StartAll();

  for (Machine* machine : all()) {
    EXPECT_TRUE(Eventually([machine] { return HasAll(*machine, "row", 600); })) << machine->name();
  }
  PutSomewhere(all(), "and", "on");
}

TEST_F(LostStateTest, WhereNobodyIsReachedNothingIsThrownAway) {
  FoundThree();
  PutMoreThanTheLogHas();
  ASSERT_NO_FATAL_FAILURE(BringSnapshotTo(c_));
  for (Machine* machine : all()) machine->Stop();
  const std::string state = StateOf(c_);
  DamageState(c_);

  c_.Start();
  c_.Stop();
  c_.Start();

  EXPECT_TRUE(c_.node().lacks_state());
  EXPECT_FALSE(c_.node().takes_part());
  EXPECT_THAT(c_.node().trouble(), HasSubstr("takes the state of another member"));
  EXPECT_TRUE(c_.Report().lacks_state);
  EXPECT_EQ(c_.Report().members.size(), 3);
  EXPECT_EQ(c_.Add("d", "127.0.0.1:1").code(), ErrorCode::kServiceBusy);
  EXPECT_TRUE(fs::exists(c_.data() + "/damaged/CURRENT"));
  EXPECT_FALSE(fs::exists(state));
  a_.Start();
  b_.Start();
  EXPECT_TRUE(Eventually([this] { return HasAll(c_, "row", 600) && HasAll(c_, "away", 600); }));
  EXPECT_FALSE(fs::exists(c_.data() + "/damaged"));
  EXPECT_FALSE(fs::exists(c_.data() + "/stand-in"));
}

// It was met by a reader, and to open it goes well.
TEST_F(LostStateTest, OneThatWasFoundDamagedWhileItRanIsNotTrustedAgain) {
  FoundThree();
  PutMoreThanTheLogHas();
  ASSERT_TRUE(c_.folder().states().MarkDamaged().ok());
  c_.Stop();

  c_.Start();

  EXPECT_TRUE(Eventually([this] { return HasAll(c_, "row", 600); }));
  EXPECT_EQ(c_.reopened, 1);
  EXPECT_NE(StateOf(c_), c_.data());
}

// Else one bit that flips could get everywhere.
TEST_F(LostStateTest, DamageIsNotSentToOthers) {
  FoundThree();
  PutMoreThanTheLogHas();
  for (Machine* machine : {&b_, &c_}) machine->Stop();
  DamagedBlock::FlipAt(DamagedBlock::FilesOf(b_.data(), "rows").front(), 0.5);
  DamageState(c_);
  b_.Start();
  c_.Start();

  EXPECT_TRUE(Eventually([this] { return HasAll(c_, "row", 600); }));
}

TEST_F(LostStateTest, OneThatIsAloneRefusesAndKeepsWhatThereIs) {
  a_.Start();
  ASSERT_TRUE(a_.Found().ok());
  PutMany({&a_}, "row", 10);
  a_.Stop();
  DamageState(a_);

  EXPECT_THAT(a_.TryStart().message(), HasSubstr("knows no other one"));

  EXPECT_TRUE(fs::exists(a_.data() + "/CURRENT"));
  EXPECT_FALSE(fs::exists(a_.data() + "/stand-in"));
}

// It may have nothing yet: what is here is all there is.
TEST_F(LostStateTest, ALearnerIsNobodyWhoHasTheStateAsWell) {
  a_.Start();
  ASSERT_TRUE(a_.Found().ok());
  PutMany({&a_}, "row", 600);
  ASSERT_TRUE(Eventually([this] { return a_.Report().log.first_index > 100; }));
  b_.snapshot_rate = 1;
  b_.Start();
  ASSERT_TRUE(a_.Add("b", b_.address()).ok());
  ASSERT_TRUE(Eventually([this] { return a_.Report().members.size() == 2; }));
  a_.Stop();
  DamageState(a_);

  EXPECT_THAT(a_.TryStart().message(), HasSubstr("knows no other one"));

  EXPECT_TRUE(fs::exists(StateOf(a_) + "/CURRENT"));
}

TEST_F(LostStateTest, OneWhoseLogIsDamagedAsWellRefuses) {
  FoundThree();
  PutMoreThanTheLogHas();
  c_.Stop();
  DamageState(c_);
  fs::remove_all(c_.data() + "/entries");

  EXPECT_FALSE(c_.TryStart().ok());

  EXPECT_FALSE(fs::exists(c_.data() + "/DAMAGED"));
  EXPECT_FALSE(fs::exists(c_.data() + "/stand-in"));
}

}  // namespace
}  // namespace wharf
