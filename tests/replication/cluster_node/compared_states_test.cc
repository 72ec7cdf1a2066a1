// States that are compared while they change, and nodes whose state differs.

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/replication/cluster_node/cluster_node_fixture.h"

namespace wharf {
namespace {

using ::testing::HasSubstr;

// Some rows that all have in files, so that one of them can be changed there.
class VerifyTest : public ClusterNodeTest {
 protected:
  void SetUp() override {
    FoundThree();
    for (int row = 0; row < kRowCount; ++row) Put(a_, Key(row), std::string(100, 'v')).value();
    for (Machine* machine : all()) {
      ASSERT_TRUE(Eventually([&] { return machine->Row(Key(kRowCount - 1)).has_value(); }));
      ASSERT_TRUE(machine->store().Flush().ok());
    }
  }
  static std::string Key(int row) { return "row " + std::to_string(100 + row); }
  // In all those that are to be other than they were; they are down meanwhile.
  void FalsifyIn(const std::vector<Machine*>& machines, const std::vector<std::string>& values) {
    for (std::size_t i = 0; i < machines.size(); ++i) {
      machines[i]->Stop();
      machines[i]->Falsify(Key(kWrong), values[i]);
      machines[i]->Start();
    }
    ASSERT_TRUE(
        Eventually([this] { return IsConnected(a_) && IsConnected(b_) && IsConnected(c_); }));
  }
  // To both others.
  static bool IsConnected(Machine& machine) {
    const auto members = machine.Report().members;
    return std::count_if(members.begin(), members.end(), [](const MemberReport& member) {
             return member.peer && member.peer->is_connected;
           }) == 2;
  }
  static constexpr int kRowCount = 60;
  static constexpr int kWrong = 37;
};

TEST_F(VerifyTest, StatesThatAreEqualAreFoundToBeSo) {
  const StateReport report = a_.Compared();

  EXPECT_EQ(report.sentence, "");
  EXPECT_FALSE(report.progress.difference.has_value());
  EXPECT_GE(report.progress.rows, static_cast<std::uint64_t>(kRowCount));
  EXPECT_EQ(report.progress.members.size(), 3U);
  for (const auto& member : report.progress.members) EXPECT_EQ(member.trouble, "") << member.name;
}

TEST_F(VerifyTest, TheyAreComparedWhileTheyChange) {
  std::atomic<bool> is_over = false;
  std::thread load([&] {
    for (int round = 0; !is_over; ++round) {
      static_cast<void>(Put(a_, Key(round % kRowCount), std::to_string(round)));
    }
  });

  const StateReport report = a_.Compared();

  is_over = true;
  load.join();
  EXPECT_EQ(report.sentence, "");
  EXPECT_GE(report.progress.rows, static_cast<std::uint64_t>(kRowCount));
}

// Reliability 68.
TEST_F(VerifyTest, AFollowerThatDiffersIsNamedAndTakesTheStateOfAnotherOne) {
  FalsifyIn({&c_}, {"wrong"});
  Lead(a_);

  const StateReport report = a_.Compared();

  EXPECT_THAT(report.sentence, HasSubstr("the state of c differs from that of a majority"));
  EXPECT_EQ(report.table, "rows");
  ASSERT_TRUE(report.progress.difference.has_value());
  EXPECT_EQ(report.progress.difference->row.key, Key(kWrong));
  EXPECT_TRUE(Eventually([this] { return Has(c_, Key(kWrong), std::string(100, 'v')); }));
  EXPECT_EQ(c_.reopened, 2);  // Without its state, and with that of another one.
  EXPECT_EQ(a_.Report().trouble, "");
}

TEST_F(VerifyTest, ALeaderThatDiffersHandsOverFirst) {
  FalsifyIn({&b_}, {"wrong"});
  Lead(b_);

  EXPECT_THAT(b_.Compared().sentence, HasSubstr("the state of b differs"));

  EXPECT_TRUE(Eventually([this] { return a_.leads() || c_.leads(); }));
  EXPECT_TRUE(Eventually([this] { return Has(b_, Key(kWrong), std::string(100, 'v')); }));
}

TEST_F(VerifyTest, WhereNoMajorityIsEqualNobodyStopsAndAllSaySo) {
  FalsifyIn({&b_, &c_}, {"wrong", "otherwise"});
  Lead(a_);

  const StateReport report = a_.Compared();

  EXPECT_THAT(report.sentence, HasSubstr("the states of a, b, c differ"));
  EXPECT_THAT(report.sentence, HasSubstr("nobody knows which of them is right"));
  for (Machine* machine : all()) {
    EXPECT_TRUE(Eventually([&] {
      return machine->Report().trouble.find("no majority") != std::string::npos;
    })) << machine->name();
    EXPECT_EQ(machine->reopened, 0) << machine->name();
  }
  PutSomewhere(all(), Key(kWrong), "written anew");
  EXPECT_EQ(a_.Compared().sentence, "");
  for (Machine* machine : all()) {
    EXPECT_TRUE(Eventually([&] { return machine->Report().trouble.empty(); })) << machine->name();
  }
}

TEST_F(VerifyTest, WhoIsNotThereIsNamed) {
  c_.Stop();
  ASSERT_TRUE(Eventually([this] { return !IsConnected(a_); }));

  const StateReport report = a_.Compared();

  EXPECT_EQ(report.sentence, "");
  for (const auto& member : report.progress.members) {
    EXPECT_EQ(member.trouble, member.name == "c" ? "it is not reached" : "") << member.name;
  }
}

TEST_F(ClusterNodeTest, WhoIsAloneHasNobodyToCompareWith) {
  a_.Start();
  ASSERT_TRUE(a_.Found().ok());
  ASSERT_TRUE(Eventually([this] { return a_.leads(); }));

  EXPECT_THAT(a_.Compared().sentence, HasSubstr("no other member"));
}

}  // namespace
}  // namespace wharf
