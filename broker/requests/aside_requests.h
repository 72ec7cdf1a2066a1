// What doors ask of others than the engine, which answer at once. The structs say only what it is:
// for the table of rights (need.h).
#pragma once

namespace wharf {

// Of ClockControl.
struct AskClock {};
struct MoveClock {};
// Of the daemon (broker_statistics.h).
struct AskStatistics {};
// Of ConnectionControl.
struct ManageConnections {};
// Of ClusterControl.
struct AskCluster {};
struct ChangeCluster {};
// Of BackupControl.
struct ManageBackups {};

}  // namespace wharf
