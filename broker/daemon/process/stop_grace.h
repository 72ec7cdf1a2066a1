// How long the parts of a stop may take, and how often a daemon looks after itself; of every
// daemon.
#pragma once

#include <chrono>

#include "storage/base/time.h"

namespace wharf {

// A stop must be over in 5 s, unless the disk is slow and yet does something. This much of it is
// for the clients that have answers to read.
inline constexpr Duration kStopGrace = std::chrono::milliseconds(2000);
// For the last commits, whose answers nobody waits for.
inline constexpr Duration kCommitGrace = std::chrono::milliseconds(750);
// For what waits to be archived, on a disk that nobody else waits for.
inline constexpr Duration kArchiveGrace = std::chrono::milliseconds(2000);
// In which the disk must do something.
inline constexpr Duration kStandstillMax = std::chrono::seconds(4);
// However slow it is.
inline constexpr Duration kStopLimit = std::chrono::seconds(20);
// Of looks whether disk and shard work; they do not wait for the disk.
inline constexpr Duration kWatchPace = std::chrono::milliseconds(250);

}  // namespace wharf
