// Shared bodies: each is looked at when a copy goes, in reads of bounded size, one after the other.

#include "broker/engine/background/shared_bodies.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "tests/engine/workers/worker_fixture.h"

namespace wharf {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// Counts the bodies that are looked at.
class CountingView final : public StoreView {
 public:
  explicit CountingView(const StoreView& view) : view_(view) {}
  Result<std::optional<std::string>> Get(TableId table, std::string_view key) const override {
    return view_.Get(table, key);
  }
  std::unique_ptr<StoreCursor> Scan(TableId table, const KeyRange& range) const override {
    if (table == IdOf(Table::kBodyRefs)) ++looks;
    return view_.Scan(table, range);
  }
  mutable std::size_t looks = 0;

 private:
  const StoreView& view_;
};

class SharedBodiesTest : public WorkerFixture {
 protected:
  static constexpr std::size_t kRowsPerRead = SharedBodies::kRowsPerRead;

  // A copy of a body, which has as many as were made of it.
  static BodyRef CopyOf(std::uint64_t number, std::uint64_t handle = 1, Bucket bucket = 7) {
    return {EntityId(bucket, 1), SequenceNumber(number), 5000, handle};
  }
  void Put(TableId table, const std::string& key, const std::string& value) {
    WriteBatch batch;
    batch.Put(table, key, value);
    ASSERT_TRUE(store_.Apply(batch).ok());
  }
  void Hold(const BodyRef& copy) { Put(IdOf(Table::kBodyRefs), BodyRefKey(copy), ""); }
  void PutReleased(const BodyRef& body) {
    Put(IdOf(Table::kJobs), ReleasedBodyKey(body), EncodeLooseBody(body));
  }
  // One turn in which these copies go.
  void Release(const std::vector<BodyRef>& copies) {
    Note(Plan([&](Turn& turn) {
      for (const BodyRef& copy : copies) turn.changes.push_back(LooseBodyDropped{copy});
      bodies_->Plan(turn);
    }));
  }
  void ReleaseRange(std::uint64_t from, std::size_t count) {
    std::vector<BodyRef> copies;
    for (std::uint64_t i = 0; i < count; ++i) copies.push_back(CopyOf(from + i));
    Release(copies);
  }
  // The turn in which a read comes back.
  void Return(Task found) {
    Note(Plan([&](Turn& turn) {
      std::move(found)(turn);
      bodies_->Plan(turn);
    }));
  }
  // Until nothing is read any more; the most bodies that one read looked at.
  std::size_t ReturnAll() {
    std::size_t most = 0;
    while (!reads_.works.empty()) {
      const auto whole = store_.View();
      const CountingView view(*whole);
      Task found = ReadFrom(view);
      most = std::max(most, view.looks);
      EXPECT_THAT(reads_.works, IsEmpty());
      Return(std::move(found));
    }
    return most;
  }
  void Note(const Changes& changes) {
    for (const Change& change : changes) {
      if (const auto* gone = std::get_if<SharedBodyDropped>(&change)) {
        dropped_.push_back(gone->body.number.value());
      }
      kept_ += std::holds_alternative<SharedBodyKept>(change) ? 1 : 0;
    }
  }
  std::size_t Rows() {
    std::size_t count = 0;
    const auto view = store_.View();
    for (int bucket = 0; bucket < static_cast<int>(kBuckets); ++bucket) {
      const auto rows = view->Scan(IdOf(Table::kJobs),
                                   ReleasedBodyRange(static_cast<Bucket>(bucket), std::nullopt));
      for (; rows->valid(); rows->Next()) ++count;
    }
    return count;
  }

  std::optional<SharedBodies> bodies_{std::in_place, context_, std::vector<Bucket>()};
  // Numbers of the bodies that went.
  std::vector<std::uint64_t> dropped_;
  std::size_t kept_ = 0;
};

TEST_F(SharedBodiesTest, WhatWasReleasedIsLookedAtOnceAndGoesIfNoCopyIsLeft) {
  Hold(CopyOf(1, 2));
  Release({CopyOf(1), CopyOf(2)});
  EXPECT_EQ(reads_.last_urgency, Urgency::kBackground);
  ReturnAll();

  EXPECT_THAT(dropped_, ::testing::ElementsAre(2U));
  EXPECT_EQ(kept_, 1U);
  EXPECT_EQ(Rows(), 0U);
}

// However many are released while a slow disk reads: one read is under way, and it is bounded.
TEST_F(SharedBodiesTest, OneReadIsUnderWayAndLooksAtABoundedNumber) {
  constexpr std::size_t kTurn = 3 * kRowsPerRead;
  for (std::uint64_t turn = 0; turn < 4; ++turn) {
    ReleaseRange(1 + turn * kTurn, kTurn);
    EXPECT_THAT(reads_.works, SizeIs(1)) << turn;
  }
  EXPECT_EQ(Rows(), 4 * kTurn);

  const std::size_t most = ReturnAll();

  EXPECT_LE(most, 2 * kRowsPerRead);
  EXPECT_GE(most, kRowsPerRead);
  std::sort(dropped_.begin(), dropped_.end());
  ASSERT_THAT(dropped_, SizeIs(4 * kTurn));
  EXPECT_EQ(std::unique(dropped_.begin(), dropped_.end()), dropped_.end());
  EXPECT_EQ(Rows(), 0U);
}

// Those that are released again and again take no more than their share of a read.
TEST_F(SharedBodiesTest, WhatStandsInRowsIsLookedAtThoughMoreIsReleasedAllTheTime) {
  ReleaseRange(1, 2 * kRowsPerRead);
  std::uint64_t next = 1'000'000;
  for (int turn = 0; turn < 6; ++turn) {
    Task found = Read();
    ReleaseRange(next, 2 * kRowsPerRead);
    next += 2 * kRowsPerRead;
    Return(std::move(found));
  }

  const auto of_the_first = std::count_if(dropped_.begin(), dropped_.end(),
                                          [](std::uint64_t number) { return number < 1'000'000; });
  EXPECT_EQ(of_the_first, 2 * kRowsPerRead);
  ReturnAll();
  EXPECT_EQ(Rows(), 0U);
}

TEST_F(SharedBodiesTest, OneOfWhichACopyGoesMeanwhileIsLookedAtAgain) {
  Hold(CopyOf(1, 2));
  Release({CopyOf(1)});
  Task found = Read();
  Release({CopyOf(1, 2)});
  Return(std::move(found));
  EXPECT_THAT(dropped_, IsEmpty());
  EXPECT_EQ(Rows(), 1U);
  ReturnAll();

  EXPECT_THAT(dropped_, ::testing::ElementsAre(1U));
  EXPECT_EQ(kept_, 0U);
  EXPECT_EQ(Rows(), 0U);
}

// The same of one whose row is on its way: its copy goes behind the read that brings the row.
TEST_F(SharedBodiesTest, OneOfWhichACopyGoesWhileItsRowIsReadIsSeenWithoutIt) {
  Hold(CopyOf(9999, 2));
  ReleaseRange(1, kRowsPerRead);
  Release({CopyOf(9999)});
  Return(Read());
  Task brings_rows = Read();
  Release({CopyOf(9999, 2)});
  Return(std::move(brings_rows));
  ReturnAll();

  EXPECT_EQ(std::count(dropped_.begin(), dropped_.end(), 9999U), 1);
  EXPECT_EQ(Rows(), 0U);
}

// In whatever buckets they stand.
TEST_F(SharedBodiesTest, WhatNobodyLookedAtBeforeTheBrokerEndedIsLookedAt) {
  for (const Bucket bucket : {Bucket{0}, Bucket{3}, Bucket{255}}) {
    for (std::uint64_t i = 1; i <= kRowsPerRead + 1; ++i) PutReleased(CopyOf(i, 0, bucket));
  }
  Hold(CopyOf(5, 1, 3));
  bodies_.emplace(context_, std::vector<Bucket>{0, 3, 255});
  Release({});
  ReturnAll();

  EXPECT_THAT(dropped_, SizeIs(3 * (kRowsPerRead + 1) - 1));
  EXPECT_EQ(kept_, 1U);
  EXPECT_EQ(Rows(), 0U);
}

TEST_F(SharedBodiesTest, WhatCannotBeReadStaysAndNothingLoops) {
  ReleaseRange(1, kRowsPerRead + 1);
  Return(ReadFrom(FailedView(kDamage)));

  EXPECT_THAT(reads_.works, IsEmpty());
  EXPECT_THAT(dropped_, IsEmpty());
  EXPECT_EQ(Rows(), kRowsPerRead + 1);
  Release({CopyOf(5000)});
  ReturnAll();
  EXPECT_THAT(dropped_, ::testing::ElementsAre(5000U));
}

TEST_F(SharedBodiesTest, AShardThatIsClosedLooksAtNothing) {
  Release({CopyOf(1)});
  Task found = Read();
  open_.Close(Status(ErrorCode::kServiceBusy, "the broker stops"));
  Return(std::move(found));

  EXPECT_THAT(dropped_, IsEmpty());
  EXPECT_THAT(reads_.works, IsEmpty());
}

}  // namespace
}  // namespace wharf
