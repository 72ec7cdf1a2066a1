#include "storage/disk/disk_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kMegabyte = 1 << 20;

TEST(DiskGateTest, HasRoomBeforeAnybodyLooked) { EXPECT_TRUE(DiskGate().CheckRoom().ok()); }

TEST(DiskGateTest, RefusesBelowTheMarkAndSaysHowMuchIsLeft) {
  DiskGate gate;
  gate.Set({DiskState::kFull, 12 * kMegabyte, 64 * kMegabyte}, 0);

  const Status refused = gate.CheckRoom();

  EXPECT_EQ(refused.code(), ErrorCode::kQuotaExceeded);
  EXPECT_EQ(refused.outcome(), Outcome::kNotDone);
  EXPECT_THAT(refused.message(),
              HasSubstr("the disk has 12 MB left, sends are refused below 64 MB"));
}

// The disk is not asked for each message, so what is planned is taken off what was free: once for
// the log and once for the flush.
TEST(DiskGateTest, CountsWhatIsPlannedSinceTheLastLook) {
  DiskGate gate;
  gate.Set({DiskState::kNearlyFull, 100 * kMegabyte, 60 * kMegabyte}, 0);

  gate.NotePlanned(19 * kMegabyte);
  EXPECT_TRUE(gate.CheckRoom().ok());

  gate.NotePlanned(2 * kMegabyte);
  EXPECT_THAT(gate.CheckRoom().message(),
              HasSubstr("the disk has 58 MB left, sends are refused below 60 MB"));
  EXPECT_EQ(gate.report().state, DiskState::kFull);
}

TEST(DiskGateTest, WhatIsPlannedAndNotWrittenIsNotFreeInTheNextLook) {
  DiskGate gate;
  gate.NotePlanned(20 * kMegabyte);
  gate.NoteWritten(5 * kMegabyte);

  gate.Set({DiskState::kNearlyFull, 90 * kMegabyte, 60 * kMegabyte}, gate.written_bytes());
  EXPECT_FALSE(gate.CheckRoom().ok());

  gate.NoteWritten(15 * kMegabyte);
  gate.Set({DiskState::kNearlyFull, 90 * kMegabyte, 60 * kMegabyte}, gate.written_bytes());
  EXPECT_TRUE(gate.CheckRoom().ok());
}

TEST(DiskGateTest, StaysShutAboveTheMarkUntilTheStateSaysSo) {
  DiskGate gate;

  gate.Set({DiskState::kFull, 65 * kMegabyte, 64 * kMegabyte}, 0);

  EXPECT_FALSE(gate.has_room());
}

}  // namespace
}  // namespace wharf
