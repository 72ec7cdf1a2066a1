// Streams that may lock no more: who is woken when there is room, and in which order.

#include "broker/engine/delivery/held_back.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr LaneId kOrders{EntityId(1), LaneKind::kMain};
constexpr LaneId kBills{EntityId(2), LaneKind::kMain};
constexpr HolderId kHere{100};
constexpr HolderId kThere{200};

class HeldBackTest : public ::testing::Test {
 protected:
  void Add(std::uint64_t stream, LaneId lane = kOrders, HolderId connection = kHere) {
    held_back_.Add(HolderId(stream), lane, connection);
  }
  std::vector<std::uint64_t> Take(std::size_t count) {
    std::vector<std::uint64_t> woken;
    while (woken.size() < count) {
      const std::optional<HolderId> next = held_back_.TakeNext();
      if (!next) break;
      woken.push_back(next->value());
    }
    return woken;
  }
  std::vector<std::uint64_t> TakeAll() { return Take(1000); }

  HeldBack held_back_;
};

TEST_F(HeldBackTest, NoneIsWokenWithoutRoom) {
  Add(1);
  EXPECT_THAT(TakeAll(), IsEmpty());
}

TEST_F(HeldBackTest, RoomOnALaneIsForThoseOfAllConnections) {
  Add(1, kOrders, kHere);
  Add(2, kBills, kHere);
  Add(3, kOrders, kThere);
  held_back_.NoteRoomOn(kOrders);

  EXPECT_THAT(TakeAll(), ElementsAre(1, 3));
}

TEST_F(HeldBackTest, RoomForAConnectionIsForItsStreamsOnAllLanes) {
  Add(1, kOrders, kHere);
  Add(2, kBills, kHere);
  Add(3, kOrders, kThere);
  held_back_.NoteRoomFor(kHere);

  EXPECT_THAT(TakeAll(), ElementsAre(1, 2));
}

TEST_F(HeldBackTest, OneThatWasWokenIsHeldBackNoMore) {
  Add(1);
  held_back_.NoteRoomFor(kHere);
  held_back_.NoteRoomOn(kOrders);

  EXPECT_THAT(TakeAll(), ElementsAre(1));
  held_back_.NoteRoomOn(kOrders);
  EXPECT_THAT(TakeAll(), IsEmpty());
}

TEST_F(HeldBackTest, OneThatGotNothingKeepsItsPlace) {
  for (const int stream : {1, 2, 3}) Add(stream);
  held_back_.NoteRoomFor(kHere);
  TakeAll();
  for (const int stream : {3, 2, 1}) Add(stream);
  held_back_.NoteRoomFor(kHere);

  EXPECT_THAT(TakeAll(), ElementsAre(1, 2, 3));
}

TEST_F(HeldBackTest, OneThatGotSomethingIsTheLast) {
  for (const int stream : {1, 2, 3}) Add(stream);
  held_back_.NoteRoomFor(kHere);
  TakeAll();
  held_back_.Remove(HolderId(1));
  for (const int stream : {1, 2, 3}) Add(stream);
  held_back_.NoteRoomFor(kHere);

  EXPECT_THAT(TakeAll(), ElementsAre(2, 3, 1));
}

// Those of one lane, say, that has no room, while there is room for the connection again and again.
TEST_F(HeldBackTest, ARoundReachesAllHoweverOftenRoomComes) {
  for (const int stream : {1, 2, 3, 4, 5, 6}) Add(stream);
  std::vector<std::uint64_t> woken;
  for (int turn = 0; turn < 3; ++turn) {
    held_back_.NoteRoomFor(kHere);
    for (const std::uint64_t stream : Take(2)) {
      woken.push_back(stream);
      Add(stream);
    }
  }
  EXPECT_THAT(woken, ElementsAre(1, 2, 3, 4, 5, 6));

  // And the room that came meanwhile is for all of them again.
  EXPECT_THAT(TakeAll(), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_F(HeldBackTest, OneThatIsHeldBackDuringARoundIsForTheNext) {
  for (const int stream : {1, 2}) Add(stream);
  held_back_.NoteRoomFor(kHere);
  EXPECT_THAT(Take(1), ElementsAre(1));
  Add(3);

  EXPECT_THAT(TakeAll(), ElementsAre(2));
  held_back_.NoteRoomFor(kHere);
  EXPECT_THAT(TakeAll(), ElementsAre(3));
}

TEST_F(HeldBackTest, OneThatLeftIsNotWoken) {
  for (const int stream : {1, 2, 3}) Add(stream);
  held_back_.NoteRoomFor(kHere);
  held_back_.Remove(HolderId(2));
  EXPECT_THAT(Take(1), ElementsAre(1));
  held_back_.Remove(HolderId(3));

  EXPECT_THAT(TakeAll(), IsEmpty());
  EXPECT_FALSE(held_back_.has_next());
}

}  // namespace
}  // namespace wharf
