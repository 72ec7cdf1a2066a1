// MachineBoard: what is wrong with the machine of one daemon just now, in memory that the run and
// the daemon share.
//
// A file of this layout stands in the folder that the variable names. The run writes it (Machine),
// failing_machine.cc reads it inside of the daemon, at each call; so a fault is in force at once.
#pragma once

#include <atomic>
#include <cstdint>

namespace wharf::crash {

inline constexpr char kMachineVariable[] = "WHARF_MACHINE";
// In the folder that it names: this, and a folder with a file for each inode that was written, with
// how much of it a power cut leaves, and one with what stood where it was written over.
inline constexpr char kBoardFile[] = "board";
inline constexpr char kSyncedFolder[] = "synced";
inline constexpr char kOldBytesEnding[] = ".old";

// Stands before bytes that were written over and not synced.
struct OldBytesHead {
  std::int64_t begin;  // In their file.
  std::int64_t count;
};

struct MachineBoard {
  // By how much the wall clock is ahead of that of everybody else.
  std::atomic<std::int64_t> clock_ahead_microseconds;
  // Whoever syncs a file waits.
  std::atomic<bool> is_disk_held;
  // No file grows: ENOSPC.
  std::atomic<bool> is_disk_full;
  // Nothing can be synced: EIO.
  std::atomic<bool> is_disk_broken;
  // How long each sync takes besides what it takes.
  std::atomic<std::int64_t> sync_takes_microseconds;
};

// tests/daemon/machine.py writes it, too.
static_assert(sizeof(MachineBoard) == 24);
static_assert(std::atomic<std::int64_t>::is_always_lock_free);
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace wharf::crash
