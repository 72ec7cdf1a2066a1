// CrashReport: what a run has shown, as text for people and as JSON for scripts.
#pragma once

#include <string>

#include "tools/crash/history/line_ledger.h"
#include "tools/crash/history/violation.h"
#include "tools/crash/nodes/cluster_run.h"
#include "tools/crash/routes/route_run.h"
#include "tools/crash/runs/random_run.h"

namespace wharf::crash {

struct FileReport {
  LineLedger::Totals totals;
  std::uint64_t kills = 0;
  double seconds = 0;
};

struct RandomReport {
  // The command, but for rounds and seed.
  std::string command;
  std::uint64_t seed = 0;
  std::uint64_t rounds = 0;
  RandomRun::Counts counts;
  double seconds = 0;
  const History& history;
  const Violations& violations;
};

struct ClusterReport {
  std::uint64_t seed = 0;
  std::uint64_t nodes = 0;
  // Those that were asked for, with commas between them; empty: all.
  std::string faults;
  // Empty: there was no older version.
  std::string older;
  // " --doors ..."; empty: clients came by all.
  std::string doors;
  ClusterRun::Counts counts;
  double seconds = 0;
  const History& history;
  const Violations& violations;
};

struct RouteReport {
  std::uint64_t seed = 0;
  RouteRun::Counts counts;
  RouteLedger::Totals totals;
  RouteMover::Counts moves;
  double seconds = 0;
  const Violations& violations;
};

// All end with the line "lost: N".
std::string ToText(const FileReport& report);
std::string ToText(const RandomReport& report);
std::string ToText(const ClusterReport& report);
std::string ToText(const RouteReport& report);
// One line.
std::string ToJson(const FileReport& report);
std::string ToJson(const RandomReport& report);
std::string ToJson(const ClusterReport& report);
std::string ToJson(const RouteReport& report);

}  // namespace wharf::crash
