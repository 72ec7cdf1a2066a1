// Broker time as followers hear it, and clocks of members that differ.

#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/replication/cluster_node/cluster_node_fixture.h"

namespace wharf {
namespace {

// Whoever takes over goes on from the time that was heard, and not before it.
TEST_F(ClusterNodeTest, FollowersKnowTheTimeOfTheLeader) {
  FoundThree();
  WriteBatch batch;
  batch.NoteTime(Timestamp(std::chrono::hours(24 * 365 * 60)));
  batch.Put(Machine::kRows, "k", "v");
  std::promise<Result<CommitIndex>> told;
  a_.log()->Append(std::move(batch), [&told](auto result) { told.set_value(std::move(result)); });
  ASSERT_TRUE(told.get_future().get().ok());

  for (Machine* machine : all()) {
    EXPECT_TRUE(Eventually([&] {
      const std::optional<Timestamp> heard = machine->node().heard_time();
      return heard && *heard >= Timestamp(std::chrono::hours(24 * 365 * 60));
    })) << machine->name();
  }
}

TEST_F(ClusterNodeTest, AFollowerHearsTheTimeWhereNothingIsWritten) {
  FoundThree();
  c_.Stop();
  c_.Start();

  EXPECT_TRUE(Eventually([this] { return c_.node().heard_time().has_value(); }));
}

// Who led may be gone before it has told one that has just begun. Here nobody can lead: two of
// four.
TEST_F(ClusterNodeTest, WhoHasJustBegunHearsTheTimeFromWhoeverHeardIt) {
  FoundThree();
  Machine d("d");
  d.Start();
  ASSERT_TRUE(a_.Add("d", d.address()).ok());
  for (Machine* machine : {&b_, &c_}) {
    ASSERT_TRUE(Eventually([machine] { return machine->Voters().size() == 4; }));
  }
  ASSERT_TRUE(Eventually([this] { return b_.node().heard_time().has_value(); }));
  for (Machine* machine : {&c_, &d, &a_}) machine->Stop();

  c_.Start();

  EXPECT_TRUE(Eventually([this] { return c_.node().heard_time().has_value(); }));
  EXPECT_FALSE(b_.leads() || c_.leads());
}

// Else the time for which all of them were down would be missing, and be made up for in months.
TEST_F(ClusterNodeTest, WhatTheLogHadAtAStartSaysNothingOfWhatTimeItIs) {
  FoundThree();
  for (int i = 0; i < 20; ++i) PutSomewhere(all(), "row" + std::to_string(i), "v");
  ASSERT_TRUE(Eventually([this] { return Has(b_, "row19", "v"); }));
  for (Machine* machine : all()) machine->Stop();

  b_.Start();

  ASSERT_TRUE(Eventually([this] { return Has(b_, "row0", "v"); }));
  EXPECT_EQ(b_.node().heard_time(), std::nullopt);
}

// Reliability 38, 39.
TEST_F(ClusterNodeTest, TheClockInTheMiddleIsKnown) {
  a_.SetClockAhead(std::chrono::hours(1));
  c_.SetClockAhead(-std::chrono::hours(1));
  FoundThree();

  const auto is_about = [](Machine& machine, Duration offset) {
    const Duration apart = machine.node().median_clock_offset() - offset;
    return apart < std::chrono::minutes(1) && apart > -std::chrono::minutes(1);
  };
  EXPECT_TRUE(Eventually([&] { return is_about(a_, -std::chrono::hours(1)); }));
  EXPECT_TRUE(Eventually([&] { return is_about(b_, Duration(0)); }));
  EXPECT_TRUE(Eventually([&] { return is_about(c_, std::chrono::hours(1)); }));
}

}  // namespace
}  // namespace wharf
