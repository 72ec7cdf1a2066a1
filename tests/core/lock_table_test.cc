#include "broker/core/queue/lock_table.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

using std::chrono::seconds;

constexpr LockToken kFirst{1, 1};
constexpr LockToken kSecond{2, 2};
constexpr LockToken kThird{3, 3};
constexpr std::size_t kAll = 100;

Timestamp At(int second) { return Timestamp(seconds(second)); }

Lock LockOf(std::uint64_t number, Timestamp until) {
  Lock lock;
  lock.number = SequenceNumber(number);
  lock.until = until;
  return lock;
}

TEST(LockTableTest, ALockIsFoundUntilItsTimeIsOver) {  // LCK-6
  LockTable locks;
  locks.Add(kFirst, LockOf(7, At(30)));

  ASSERT_NE(locks.Find(kFirst, At(29)), nullptr);
  EXPECT_EQ(locks.Find(kFirst, At(29))->number, SequenceNumber(7));
  EXPECT_EQ(locks.Find(kFirst, At(30) - Duration(1))->number, SequenceNumber(7));
  EXPECT_EQ(locks.Find(kFirst, At(30)), nullptr);
  EXPECT_EQ(locks.Find(kSecond, At(0)), nullptr);
}

TEST(LockTableTest, AnEndedLockStaysUntilItIsRemoved) {
  LockTable locks;
  locks.Add(kFirst, LockOf(7, At(30)));

  EXPECT_EQ(locks.TakeEnded(At(30), kAll), std::vector{kFirst});

  EXPECT_NE(locks.Get(kFirst), nullptr);
  EXPECT_EQ(locks.size(), 1U);
  EXPECT_EQ(locks.TakeEnded(At(31), kAll), std::vector<LockToken>());
  EXPECT_EQ(locks.Remove(kFirst).number, SequenceNumber(7));
  EXPECT_EQ(locks.size(), 0U);
}

TEST(LockTableTest, TheEarliestEndsFirst) {
  LockTable locks;
  locks.Add(kFirst, LockOf(1, At(30)));
  locks.Add(kSecond, LockOf(2, At(10)));
  locks.Add(kThird, LockOf(3, At(20)));
  EXPECT_EQ(locks.next_deadline(), At(10));

  EXPECT_EQ(locks.TakeEnded(At(9), kAll), std::vector<LockToken>());
  EXPECT_EQ(locks.TakeEnded(At(30), 2), (std::vector{kSecond, kThird}));
  EXPECT_EQ(locks.next_deadline(), At(30));
  EXPECT_EQ(locks.TakeEnded(At(30), 2), std::vector{kFirst});
  EXPECT_EQ(locks.next_deadline(), kNever);
}

TEST(LockTableTest, ManyMayEndAtOneTime) {
  LockTable locks;
  locks.Add(kFirst, LockOf(1, At(10)));
  locks.Add(kSecond, LockOf(2, At(10)));

  EXPECT_EQ(locks.TakeEnded(At(10), kAll).size(), 2U);
}

TEST(LockTableTest, RenewingMovesTheEnd) {  // LCK-2
  LockTable locks;
  locks.Add(kFirst, LockOf(1, At(10)));

  locks.Renew(kFirst, At(40));

  EXPECT_EQ(locks.next_deadline(), At(40));
  EXPECT_EQ(locks.TakeEnded(At(39), kAll), std::vector<LockToken>());
  EXPECT_NE(locks.Find(kFirst, At(39)), nullptr);
}

TEST(LockTableTest, RemovingForgetsTheDeadline) {
  LockTable locks;
  locks.Add(kFirst, LockOf(1, At(10)));

  locks.Remove(kFirst);

  EXPECT_EQ(locks.next_deadline(), kNever);
  EXPECT_EQ(locks.Find(kFirst, At(0)), nullptr);
}

TEST(LockTableTest, ItKnowsHowMuchMemoryChangedPropertiesTake) {
  LockTable locks;
  Lock lock = LockOf(1, At(10));
  lock.delivery.changed_properties =
      std::make_shared<const PropertyMap>(PropertyMap{{"note", std::string("late")}});

  locks.Add(kFirst, std::move(lock));
  EXPECT_EQ(locks.changed_bytes(), 8U);

  locks.Remove(kFirst);
  EXPECT_EQ(locks.changed_bytes(), 0U);
}

}  // namespace
}  // namespace wharf
