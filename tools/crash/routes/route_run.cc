#include "tools/crash/routes/route_run.h"

#include <chrono>
#include <csignal>
#include <utility>

#include <fmt/core.h>

#include "tools/crash/routes/route_entities.h"

namespace wharf::crash {
namespace {

constexpr Duration kStartPatience = std::chrono::seconds(60);
constexpr Duration kStopPatience = std::chrono::seconds(60);
// As long as too little is acknowledged.
constexpr Duration kStrikePatience = std::chrono::seconds(60);
// About as long as a start takes.
constexpr std::uint64_t kStartMicroseconds = 150'000;
constexpr std::uint64_t kAcknowledgementsMax = 500;

}  // namespace

RouteRun::RouteRun(Options options)
    : options_(std::move(options)), dice_(options_.seed), daemon_(options_.daemon) {
  senders_.emplace_back(1, Target::kTopic);
  senders_.emplace_back(2, Target::kTopic);
  senders_.emplace_back(3, Target::kRelay);
  senders_.emplace_back(4, Target::kFrom);
  takers_.emplace_back(Place::kFirst);
  takers_.emplace_back(Place::kEnd);
  switches_.emplace_back(Place::kOnward);
  switches_.emplace_back(Place::kRelay);
  for (std::uint32_t client = 5; client <= 7; ++client) movers_.emplace_back(client);
}

Status RouteRun::Run() {
  const Status status = RunAll();
  CollectViolations();
  if (status.ok()) return {};
  return {status.code(), Name() + ": " + std::string(status.message())};
}

RouteMover::Counts RouteRun::moves() const {
  RouteMover::Counts sum;
  for (const RouteMover& mover : movers_) {
    const RouteMover::Counts& counts = mover.counts();
    sum.committed += counts.committed;
    sum.rolled_back += counts.rolled_back;
    sum.refused += counts.refused;
    sum.unknown += counts.unknown;
    sum.unknown_committed += counts.unknown_committed;
  }
  return sum;
}

Status RouteRun::RunAll() {
  while (counts_.rounds < options_.rounds) {
    ++counts_.rounds;
    WHARF_RETURN_IF_ERROR(Round());
    if (!violations_.empty()) return {};
  }
  return End();
}

Status RouteRun::Round() {
  WHARF_RETURN_IF_ERROR(Start());
  {
    RouteInspector inspector(daemon_.address());
    if (counts_.kills == 0) WHARF_RETURN_IF_ERROR(MakeEntities(inspector.client()));
    WHARF_RETURN_IF_ERROR(TakeStock(inspector));
    if (violations_.empty() && dice_.Chance(30)) WHARF_RETURN_IF_ERROR(EmptySome(inspector));
  }
  return violations_.empty() ? Live() : Status();
}

Status RouteRun::End() {
  WHARF_RETURN_IF_ERROR(Start());
  {
    RouteInspector inspector(daemon_.address());
    WHARF_RETURN_IF_ERROR(TakeStock(inspector));
    if (violations_.empty()) WHARF_RETURN_IF_ERROR(EmptyAll(inspector));
  }
  daemon_.Signal(SIGTERM);
  const Result<bool> ended = daemon_.WaitUntilEnded(kStopPatience);
  if (!ended.ok() || *ended) return ended.status();
  return {ErrorCode::kGeneralError, "wharfd failed when asked to end:\n" + daemon_.last_words()};
}

Status RouteRun::Start() {
  if (dice_.Chance(20)) WHARF_RETURN_IF_ERROR(KillSomeStarts());
  WHARF_RETURN_IF_ERROR(daemon_.Spawn());
  return daemon_.WaitUntilReady(kStartPatience);
}

// Also when it is over, and what was on its way is forwarded.
Status RouteRun::KillSomeStarts() {
  for (std::uint64_t left = dice_.Between(1, 2); left > 0; --left) {
    WHARF_RETURN_IF_ERROR(daemon_.Spawn());
    const Duration moment(dice_.Below(kStartMicroseconds));
    if (daemon_.WaitUntilReady(moment).ok()) std::this_thread::sleep_for(moment / 10);
    daemon_.Signal(SIGKILL);
    ++counts_.kills_at_start;
    WHARF_RETURN_IF_ERROR(daemon_.WaitUntilEnded(kStopPatience).status());
  }
  return {};
}

// Before anybody works: what the last life left.
Status RouteRun::TakeStock(RouteInspector& inspector) {
  for (RouteMover& mover : movers_) {
    WHARF_RETURN_IF_ERROR(mover.Resolve(inspector.client(), ledger_));
  }
  const Result<Inventory> under_way = inspector.Look();
  if (!under_way.ok()) return under_way.status();
  ledger_.CheckUnderWay(*under_way);
  WHARF_RETURN_IF_ERROR(inspector.WaitUntilForwarded());
  return LookAtRest(inspector);
}

Status RouteRun::LookAtRest(RouteInspector& inspector) {
  const Result<Inventory> at_rest = inspector.Look();
  if (!at_rest.ok()) return at_rest.status();
  ledger_.CheckAtRest(*at_rest);
  Status status = inspector.CheckCounters(*at_rest, ledger_);
  CollectViolations();
  return status;
}

// So that copies of a message are gone while others, and the body that they share, stay.
Status RouteRun::EmptySome(RouteInspector& inspector) {
  for (const Place place : kPlaces) {
    if (dice_.Chance(60)) WHARF_RETURN_IF_ERROR(Empty(inspector, place));
  }
  return LookAtRest(inspector);
}

Status RouteRun::EmptyAll(RouteInspector& inspector) {
  for (const Place place : kPlaces) WHARF_RETURN_IF_ERROR(Empty(inspector, place));
  const Result<std::int64_t> bytes = inspector.StoredBytes();
  if (!bytes.ok()) return bytes.status();
  if (*bytes != 0) {
    ledger_.Report({.rule = Rule::kExactCounters,
                    .what = fmt::format("everything is empty, and has {} bytes", *bytes)});
  }
  return LookAtRest(inspector);
}

// What forwards cannot be received from.
Status RouteRun::Empty(RouteInspector& inspector, Place place) {
  ++counts_.emptied;
  WHARF_RETURN_IF_ERROR(Forwards(place) || dice_.Chance(70) ? inspector.Purge(place)
                                                            : inspector.Consume(place, ledger_));
  ledger_.NoteEmptied(place);
  return {};
}

Status RouteRun::Live() {
  const std::uint64_t few_or_many = dice_.Chance(20) ? 10 : kAcknowledgementsMax;
  progress_.Arm(dice_.Between(1, few_or_many), [this] { daemon_.Signal(SIGKILL); });
  RouteLife life{daemon_.address(), ledger_, progress_};
  std::vector<std::thread> workers = StartWorkers(life);
  Status ended = WaitForEnd();
  progress_.Stop();
  for (std::thread& worker : workers) worker.join();
  ++counts_.kills;
  return ended;
}

std::vector<std::thread> RouteRun::StartWorkers(RouteLife& life) {
  std::vector<std::thread> threads;
  const auto start = [&](auto& worker) {
    threads.emplace_back(
        [&life, &worker, dice = dice_.Split()]() mutable { worker.Run(life, dice); });
  };
  for (RouteSender& sender : senders_) start(sender);
  for (RouteTaker& taker : takers_) {
    if (dice_.Chance(60)) start(taker);
  }
  for (RouteSwitch& place : switches_) {
    if (dice_.Chance(50)) start(place);
  }
  for (RouteMover& mover : movers_) start(mover);
  return threads;
}

Status RouteRun::WaitForEnd() {
  Status struck;
  if (!progress_.WaitForStrike(kStrikePatience)) {
    struck = {ErrorCode::kServiceTimeout,
              "the broker acknowledges nothing any more:\n" + daemon_.last_words()};
    daemon_.Signal(SIGKILL);
  }
  const Result<bool> ended = daemon_.WaitUntilEnded(kStopPatience);
  return struck.ok() ? ended.status() : struck;
}

void RouteRun::CollectViolations() {
  for (Violation& violation : ledger_.TakeViolations()) {
    violation.what = Name() + ": " + violation.what;
    violations_.push_back(std::move(violation));
  }
}

// A round finds what the life before it left.
std::string RouteRun::Name() const {
  return fmt::format("seed {}, round {}", options_.seed, counts_.rounds);
}

}  // namespace wharf::crash
