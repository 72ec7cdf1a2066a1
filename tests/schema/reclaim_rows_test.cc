// The rows that go with a shelf or an entity, and those that stay.

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "broker/schema/change_encoder.h"
#include "broker/schema/keys.h"
#include "broker/schema/tables.h"
#include "storage/memory/memory_store.h"

namespace wharf {
namespace {

class ReclaimRowsTest : public ::testing::Test {
 protected:
  // One commit.
  void Commit(Changes changes) {
    WriteBatch batch;
    Encode(changes, batch);
    ASSERT_TRUE(store_.Apply(batch).ok());
  }
  static MessageEnqueued Enqueued(const Shelf& shelf, std::uint64_t number,
                                  std::size_t separate_body = 0) {
    auto message = std::make_shared<StoredMessage>();
    message->number = SequenceNumber(number);
    message->facts.track = 3;
    if (separate_body > 0) {
      message->message.body = std::string(separate_body, 'x');
      message->facts.body_ref = BodyRef{shelf.entity, message->number, separate_body};
    }
    message->facts.size = StoredSizeOf(*message);
    return {shelf, std::move(message)};
  }
  std::size_t RowsOf(Table table, const KeyRange& range) {
    const auto view = store_.View();
    std::size_t count = 0;
    for (const auto rows = view->Scan(IdOf(table), range); rows->valid(); rows->Next()) ++count;
    return count;
  }
  std::size_t RowsOf(const Shelf& shelf) {
    return RowsOf(Table::kMessages, MessageRange(shelf, SequenceNumber())) +
           RowsOf(Table::kOrder, OrderRange(shelf, std::nullopt));
  }

  MemoryStore store_{BrokerTables()};
};

// Rows of `order` are kept back to the end of the turn, and came behind the range that ends them.
TEST_F(ReclaimRowsTest, WhatATurnAddedToAShelfThatItPurgesGoesWithIt) {  // PRG-1
  const Shelf shelf(EntityId(7), LaneKind::kMain, 5);
  const Shelf next(EntityId(7), LaneKind::kMain, 6);

  Commit({Enqueued(shelf, 1), LanePurged{shelf}, ShelfReclaimFinished{shelf}, Enqueued(next, 2)});

  EXPECT_EQ(RowsOf(shelf), 0U);
  EXPECT_EQ(RowsOf(next), 2U);
  EXPECT_EQ(RowsOf(Table::kJobs, ReclaimShelfRange(shelf.entity)), 0U);
}

TEST_F(ReclaimRowsTest, WhatATurnAddedToAnEntityThatItDeletesGoesWithIt) {  // EPR-33
  const Shelf shelf(EntityId(7), LaneKind::kMain, 5);
  const Shelf before(EntityId(6), LaneKind::kDeadLetter, 63);
  const Shelf behind(EntityId(8), LaneKind::kMain, 0);

  Commit({Enqueued(before, 1), Enqueued(shelf, 1), Enqueued(behind, 1),
          EntityReclaimFinished{shelf.entity}});

  EXPECT_EQ(RowsOf(shelf), 0U);
  EXPECT_EQ(RowsOf(before), 2U);
  EXPECT_EQ(RowsOf(behind), 2U);
}

// It is named by where its message was born.
TEST_F(ReclaimRowsTest, ABodyOfAMessageThatIsElsewhereStays) {  // FWD-1
  const Shelf shelf(EntityId(7), LaneKind::kMain, 5);
  Commit({Enqueued(shelf, 1, 5000)});

  Commit({EntityReclaimFinished{shelf.entity}});

  EXPECT_EQ(RowsOf(Table::kBodies, EntityRange(shelf.entity)), 1U);
}

}  // namespace
}  // namespace wharf
