// wharf-crash: kills a broker, of one node or of several, again and again while it works, and
// proves that it kept its promises.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <absl/strings/str_join.h>
#include <fmt/core.h>
#include <fmt/format.h>

#include "tools/crash/checks/history_checker.h"
#include "tools/crash/nodes/cluster_run.h"
#include "tools/crash/nodes/killable_cluster.h"
#include "tools/crash/routes/route_run.h"
#include "tools/crash/runs/crash_report.h"
#include "tools/crash/runs/data_folder.h"
#include "tools/crash/runs/file_run.h"
#include "tools/crash/runs/killable_daemon.h"
#include "tools/crash/runs/random_run.h"
#include "tools/ledger/interrupt.h"
#include "tools/ledger/ledger.h"

namespace wharf::crash {
namespace {

constexpr int kGood = 0;
constexpr int kBad = 1;
constexpr int kUsage = 2;

const std::vector<std::string> kDoorNames = {"grpc", "amqp", "rest"};

struct Options {
  std::string program;
  std::string data;
  std::string input;
  std::uint64_t kills = 5;
  std::uint64_t rounds = 10;
  std::uint64_t seed = 1;
  std::uint64_t nodes = 1;
  std::vector<std::string> faults;
  std::string older;
  bool has_namespaces = false;
  std::string ledger;
  bool has_rounds = false;
  bool has_seed = false;
  bool has_routes = false;
  bool stops_in_order = false;
  bool is_json = false;
  std::vector<std::string> doors = kDoorNames;
};

bool HasDoor(const Options& options, std::string_view door) {
  return std::find(options.doors.begin(), options.doors.end(), door) != options.doors.end();
}

// An older version may not keep what comes over AMQP, and may not know the others.
Doors DoorsOf(const Options& options) {
  const bool is_new = options.older.empty();
  return {.has_grpc = HasDoor(options, "grpc"),
          .has_amqp = HasDoor(options, "amqp") && is_new,
          .has_rest = HasDoor(options, "rest") && is_new};
}

void AddClusterOptions(CLI::App& app, Options& options) {
  auto* nodes = app.add_option("--nodes", options.nodes,
                               "How many nodes keep the broker together; faults strike them")
                    ->capture_default_str()
                    ->check(CLI::IsMember({1, 3, 5}));
  app.add_option("--faults", options.faults,
                 "With --nodes: which, with commas between them; all if none is said")
      ->delimiter(',')
      ->check(CLI::IsMember(kFaultNames))
      ->needs(nodes);
  app.add_option("--older", options.older,
                 "With --nodes: an older version of the daemon, as which all nodes begin. The "
                 "fault change-versions, which needs it, upgrades some and takes them back; the "
                 "last round upgrades all. Not with faults that change the members")
      ->check(CLI::ExistingFile)
      ->needs(nodes);
  app.add_flag("--netns", options.has_namespaces,
               "With --nodes: each of them in a network namespace of its own, instead of a proxy "
               "between them; needs root")
      ->needs(nodes);
}

void AddOptions(CLI::App& app, Options& options) {
  app.add_option("--wharfd", options.program, "The daemon")->required()->check(CLI::ExistingFile);
  app.add_option("--data", options.data,
                 "Its data folder, empty; a temporary one if none is named");
  auto* input = app.add_option("--input", options.input,
                               "Send every line of this file as a message, and receive them all")
                    ->check(CLI::ExistingFile);
  app.add_option("--kills", options.kills, "With --input: how often the daemon is killed")
      ->capture_default_str()
      ->needs(input);
  auto* routes = app.add_flag("--routes", options.has_routes,
                              "Instead of mixed load: publish, forward, and move in transactions")
                     ->excludes(input);
  app.add_option_function<std::string>(
         "--stop",
         [&options](const std::string& how) { options.stops_in_order = how == "orderly"; },
         "Without --input and --routes: how lives end. kill: mostly by SIGKILL; orderly: by "
         "SIGTERM, with "
         "eight senders and eight receivers more, and nobody may be left in doubt of what was done")
      ->default_str("kill")
      ->check(CLI::IsMember({"kill", "orderly"}))
      ->excludes(input);
  app.add_option(
         "--doors", options.doors,
         "Without --input and --routes: by which doors clients send and receive, hold sessions "
         "and run transactions (rest, which is HTTP, has none), with commas between them; all "
         "else is asked over gRPC, and with --older everything")
      ->delimiter(',')
      ->default_str(absl::StrJoin(kDoorNames, ","))
      ->check(CLI::IsMember(kDoorNames))
      ->excludes(input);
  app.add_option("--rounds", options.rounds, "Without --input: how many lives the daemon has")
      ->capture_default_str()
      ->excludes(input);
  app.add_option("--seed", options.seed, "The same lots for the same seed")->capture_default_str();
  AddClusterOptions(app, options);
  app.add_option("--ledger", options.ledger,
                 "Of mixed load: a file to which a line is added that says what was run and seen. "
                 "Without --seed it is the next one that the file does not have; without --rounds, "
                 "what the last run lacked, if that was stopped")
      ->excludes(input)
      ->excludes(routes);
  app.add_flag("--json", options.is_json, "Print one object instead of text");
}

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void PrintError(const Status& status) { fmt::print(stderr, "wharf-crash: {}\n", status.message()); }

Result<std::vector<std::string>> ReadLines(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(std::move(line));
  if (file.eof()) return lines;
  return Status(ErrorCode::kArgumentError, fmt::format("cannot read {}", path));
}

NodeSet::Options NodesOf(const Options& options, const DataFolder& folder) {
  return {.program = options.program,
          .folder = folder.path(),
          .count = options.nodes,
          .older = options.older,
          .has_namespaces = options.has_namespaces};
}

std::unique_ptr<KillableBroker> MakeBroker(const Options& options, const DataFolder& folder) {
  if (options.nodes > 1) return std::make_unique<KillableCluster>(NodesOf(options, folder));
  return std::make_unique<KillableDaemon>(
      Daemon::Options{.program = options.program, .data = folder.path()});
}

int RunFile(const Options& options, DataFolder& folder) {
  Result<std::vector<std::string>> lines = ReadLines(options.input);
  if (!lines.ok()) {
    PrintError(lines.status());
    return kUsage;
  }
  const auto start = std::chrono::steady_clock::now();
  LineLedger ledger(*std::move(lines));
  const std::unique_ptr<KillableBroker> broker = MakeBroker(options, folder);
  FileRun run({.kills = options.kills,
               .seed = options.seed,
               .tell =
                   [&](std::string_view sentence) {
                     if (!options.is_json) fmt::print("{}\n", sentence);
                   }},
              *broker, ledger);
  const Status status = run.Run();
  const FileReport report{ledger.totals(), run.kills(), SecondsSince(start)};
  fmt::print("{}", options.is_json ? ToJson(report) : ToText(report));
  if (!status.ok()) PrintError(status);
  return status.ok() && report.totals.is_good() ? kGood : kBad;
}

// The data of a run that failed stays, for a look.
int Conclude(const Status& status, const Violations& violations, DataFolder& folder) {
  if (!status.ok()) PrintError(status);
  if (status.ok() && violations.empty()) return kGood;
  folder.Keep();
  fmt::print(stderr, "wharf-crash: the data folder is {}\n", folder.path());
  return kBad;
}

// A new node is of the older version, which a cluster that has none left may not let in any more.
bool IsPossible(FaultKind kind, bool has_older) {
  const Fault fault{.kind = kind};
  if (kind == FaultKind::kUpgradeAll) return false;
  return has_older ? !fault.changes_members() : !fault.changes_versions();
}

// None is said: all that are possible.
std::vector<FaultKind> KindsOf(const Options& options) {
  const bool has_older = !options.older.empty();
  std::vector<FaultKind> kinds;
  for (const std::string_view name : kFaultNames) {
    const FaultKind kind = FaultNamed(name).value();
    if (options.faults.empty() && IsPossible(kind, has_older)) kinds.push_back(kind);
  }
  for (const std::string& name : options.faults) kinds.push_back(FaultNamed(name).value());
  return kinds;
}

Status CheckFaults(const Options& options) {
  const bool has_older = !options.older.empty();
  for (const std::string& name : options.faults) {
    if (IsPossible(FaultNamed(name).value(), has_older)) continue;
    return {ErrorCode::kArgumentError,
            fmt::format("--faults {} cannot be {} --older", name, has_older ? "with" : "without")};
  }
  return {};
}

// Empty: by all.
std::string WordsOfDoors(const Options& options) {
  std::vector<std::string> doors;
  for (const std::string& door : kDoorNames) {
    if (HasDoor(options, door)) doors.push_back(door);
  }
  return doors == kDoorNames ? "" : " --doors " + absl::StrJoin(doors, ",");
}

// What the ledger calls such runs.
std::string WordsOf(const Options& options) {
  std::string words = "wharf-crash";
  if (options.nodes > 1) words += fmt::format(" --nodes {}", options.nodes);
  if (options.stops_in_order) words += " --stop orderly";
  words += WordsOfDoors(options);
  if (options.has_namespaces) words += " --netns";
  if (!options.older.empty()) words += " --older";
  if (!options.faults.empty()) words += fmt::format(" --faults {}", fmt::join(options.faults, ","));
  return words;
}

// Where it says, but for what was said here.
void GoOnBehind(const Ledger& ledger, Options& options) {
  const std::string words = WordsOf(options);
  if (!options.has_rounds) options.rounds = ledger.RoundsLeft(words).value_or(options.rounds);
  if (!options.has_seed) options.seed = ledger.NextSeed(words);
}

LedgerLine LineOf(const Options& options, std::uint64_t rounds, double seconds,
                  const Violations& violations, const Status& status) {
  LedgerLine line{.what = WordsOf(options),
                  .seed = options.seed,
                  .rounds = rounds,
                  .rounds_wanted = options.rounds,
                  .violations = violations.size(),
                  .seconds = seconds};
  if (!violations.empty()) line.verdict = violations.front().what;
  // Behind its first line may be the log of a daemon.
  if (!status.ok()) line.verdict = status.message().substr(0, status.message().find('\n'));
  return line;
}

std::map<std::string, std::uint64_t> KindsOf(const ClusterRun::Counts& counts) {
  std::map<std::string, std::uint64_t> kinds;
  for (std::size_t kind = 0; kind < kFaultNames.size(); ++kind) {
    const std::uint64_t times = counts.faults[kind];
    if (times > 0) kinds.emplace(kFaultNames[kind], times);
  }
  return kinds;
}

int RunRandom(Options options, DataFolder& folder) {
  Result<Ledger> ledger = Ledger::Open(options.ledger);
  if (!ledger.ok()) {
    PrintError(ledger.status());
    return kUsage;
  }
  const bool has_ledger = !options.ledger.empty();
  if (has_ledger) GoOnBehind(*ledger, options);
  const Interrupt interrupt;
  const auto start = std::chrono::steady_clock::now();
  RandomRun run({.daemon = {.program = options.program, .data = folder.path()},
                 .rounds = options.rounds,
                 .seed = options.seed,
                 .doors = DoorsOf(options),
                 .stops_in_order = options.stops_in_order,
                 .is_asked_to_end = [&interrupt] { return interrupt.is_asked(); }});
  Status status = run.Run();
  const Violations violations = CheckHistory(run.history());
  const RandomReport report{WordsOf(options), options.seed,        run.counts().rounds(),
                            run.counts(),     SecondsSince(start), run.history(),
                            violations};
  fmt::print("{}", options.is_json ? ToJson(report) : ToText(report));
  if (has_ledger) {
    LedgerLine line = LineOf(options, report.rounds, report.seconds, violations, status);
    line.kinds = {{"kill", report.counts.kills},
                  {"kill-at-start", report.counts.kills_at_start},
                  {"stop", report.counts.stops}};
    const Status noted = ledger->Append(std::move(line));
    if (status.ok()) status = noted;
  }
  return Conclude(status, violations, folder);
}

int RunCluster(Options options, DataFolder& folder) {
  if (const Status possible = CheckFaults(options); !possible.ok()) {
    PrintError(possible);
    return kUsage;
  }
  Result<Ledger> ledger = Ledger::Open(options.ledger);
  if (!ledger.ok()) {
    PrintError(ledger.status());
    return kUsage;
  }
  const bool has_ledger = !options.ledger.empty();
  if (has_ledger) GoOnBehind(*ledger, options);
  const Interrupt interrupt;
  const auto start = std::chrono::steady_clock::now();
  ClusterRun run({.nodes = NodesOf(options, folder),
                  .doors = DoorsOf(options),
                  .rounds = options.rounds,
                  .seed = options.seed,
                  .faults = KindsOf(options),
                  .is_asked_to_end = [&interrupt] { return interrupt.is_asked(); }});
  Status status = run.Run();
  const Violations violations = CheckHistory(run.history());
  const ClusterReport report{
      options.seed,        options.nodes,         fmt::format("{}", fmt::join(options.faults, ",")),
      options.older,       WordsOfDoors(options), run.counts(),
      SecondsSince(start), run.history(),         violations};
  fmt::print("{}", options.is_json ? ToJson(report) : ToText(report));
  if (has_ledger) {
    LedgerLine line = LineOf(options, report.counts.rounds, report.seconds, violations, status);
    line.kinds = KindsOf(report.counts);
    const Status noted = ledger->Append(std::move(line));
    if (status.ok()) status = noted;
  }
  return Conclude(status, violations, folder);
}

int RunRoutes(const Options& options, DataFolder& folder) {
  const auto start = std::chrono::steady_clock::now();
  RouteRun run({.daemon = {.program = options.program, .data = folder.path()},
                .rounds = options.rounds,
                .seed = options.seed});
  const Status status = run.Run();
  const RouteReport report{options.seed, run.counts(),        run.totals(),
                           run.moves(),  SecondsSince(start), run.violations()};
  fmt::print("{}", options.is_json ? ToJson(report) : ToText(report));
  return Conclude(status, run.violations(), folder);
}

int Run(const Options& options, DataFolder& folder) {
  if (!options.input.empty()) return RunFile(options, folder);
  if (options.nodes > 1) return RunCluster(options, folder);
  return options.has_routes ? RunRoutes(options, folder) : RunRandom(options, folder);
}

int Main(int argc, char** argv) {
  CLI::App app(
      "wharf-crash: kills a broker again and again while it works, or asks it to stop, and proves\n"
      "that nothing that it acknowledged was lost or came back.\n"
      "Exit code: 0 every promise was kept, 1 one was broken, 2 bad usage.");
  Options options;
  AddOptions(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kGood : kUsage;
  }
  options.has_rounds = app.count("--rounds") > 0;
  options.has_seed = app.count("--seed") > 0;
  Result<DataFolder> folder = DataFolder::Make(options.data);
  if (!folder.ok()) {
    PrintError(folder.status());
    return kUsage;
  }
  return Run(options, *folder);
}

}  // namespace
}  // namespace wharf::crash

int main(int argc, char** argv) { return wharf::crash::Main(argc, argv); }
