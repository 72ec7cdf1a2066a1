#include "tools/crash/nodes/replica_rows.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/schema/change_encoder.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"
#include "storage/rocks/rocks_store.h"
#include "tests/storage/temp_folder.h"

namespace wharf::crash {
namespace {

const ReplicaRows kRows{{{"counters", "a"}, "1"}, {{"messages", "b"}, "2"}};

TEST(ReplicaRowsTest, EqualRowsDoNotDiffer) { EXPECT_EQ(DifferenceOf(kRows, kRows), ""); }

TEST(ReplicaRowsTest, ARowThatDiffersIsNamed) {
  ReplicaRows other = kRows;
  other[{"messages", "b"}] = "3";

  EXPECT_EQ(DifferenceOf(kRows, other), "the row 62 of 'messages' is 32 and 33");
}

TEST(ReplicaRowsTest, ARowThatOneOfThemLacksIsNamed) {
  for (const auto& [row, value] : kRows) {
    ReplicaRows other = kRows;
    other.erase(row);

    EXPECT_THAT(DifferenceOf(kRows, other), testing::EndsWith(" and nothing"));
    EXPECT_THAT(DifferenceOf(other, kRows), testing::HasSubstr("is nothing and "));
  }
}

TEST(ReplicaRowsTest, WhereThereAreNoMessagesNothingOfThemIsLeft) {
  EXPECT_EQ(LeftOverIn({{{"counters", "a"}, "1"}, {{"due", "b"}, ""}}), "");
  EXPECT_EQ(LeftOverIn(kRows), "there are no messages, but 'messages' has the row 62");
  EXPECT_EQ(LeftOverIn({{{"bodies", "b"}, "2"}, {{"counters", "a"}, "1"}}),
            "there are no messages, but 'bodies' has the row 62");
}

constexpr Timestamp kLastCommit{std::chrono::hours(1)};

// A folder in which a node left this row of `duplicates`, and none for Timestamp().
class StoppedNode {
 public:
  explicit StoppedNode(Timestamp forget_after) {
    const auto store = RocksStore::Open(
        {.path = folder_.path(), .tables = BrokerTables(), .position = BrokerStatePosition()});
    WriteBatch batch = EncodeFormat();
    EncodeCommitTime(Bucket{}, kLastCommit, batch);
    if (forget_after != Timestamp()) {
      batch.Put(IdOf(Table::kDuplicates), "id",
                EncodeDuplicate({SequenceNumber(1), forget_after, false}));
    }
    EXPECT_TRUE((*store)->Write({&batch, 1}, RocksStore::Sync::kNo).ok());
    EXPECT_TRUE((*store)->Flush().ok());
  }

  ReplicaRows rows() const { return ReadReplica(folder_.path()).value(); }

 private:
  const TempFolder folder_;
};

// A compaction dropped it on one node, in due time, and came to none on the other.
TEST(ReplicaRowsTest, WhatHadExpiredAtTheLastCommitIsInNone) {
  const StoppedNode compacted{Timestamp()};
  const StoppedNode other{kLastCommit};

  EXPECT_EQ(DifferenceOf(compacted.rows(), other.rows()), "");
}

TEST(ReplicaRowsTest, WhatExpiresLaterMustNotBeMissing) {
  const StoppedNode lost_it{Timestamp()};
  const StoppedNode other{kLastCommit + Duration(1)};

  EXPECT_THAT(DifferenceOf(lost_it.rows(), other.rows()),
              testing::HasSubstr("of 'duplicates' is nothing and "));
}

}  // namespace
}  // namespace wharf::crash
