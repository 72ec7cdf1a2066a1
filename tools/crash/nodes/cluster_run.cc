#include "tools/crash/nodes/cluster_run.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "tools/crash/runs/pace.h"

namespace wharf::crash {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Duration kLeaderPatience = std::chrono::seconds(60);
// As long as nothing at all is acknowledged.
constexpr Duration kStrikePatience = std::chrono::seconds(60);
constexpr std::uint64_t kAcknowledgementsMax = 400;
// Of a load that has found the next leader.
constexpr std::uint64_t kGoesOn = 100;
constexpr Duration kGoOnPatience = std::chrono::seconds(10);

Duration Since(Clock::time_point start) {
  return std::chrono::duration_cast<Duration>(Clock::now() - start);
}

// So little is kept of a log that whoever joins is sent a snapshot, and that takes a while.
NodeSet::Options WithSnapshots(NodeSet::Options nodes) {
  nodes.flags.insert(nodes.flags.end(),
                     {"--peer-log-bytes-max", "1MiB", "--peer-snapshot-rate", "4MiB"});
  return nodes;
}

bool ChangesMembers(FaultKind kind) { return Fault{.kind = kind}.changes_members(); }

NodeSet::Options NodesFor(const ClusterRun::Options& options) {
  const bool has_changes =
      std::any_of(options.faults.begin(), options.faults.end(), ChangesMembers);
  NodeSet::Options nodes = options.nodes;
  // An older one may not know how.
  if (nodes.older.empty()) nodes.flags = FlagsToCompact(options.seed);
  if (has_changes) nodes = WithSnapshots(std::move(nodes));
  nodes.has_amqp = options.doors.has_amqp;
  nodes.has_rest = options.doors.has_rest;
  return nodes;
}

}  // namespace

ClusterRun::ClusterRun(Options options)
    : options_(std::move(options)),
      dice_(options_.seed),
      deck_(options_.faults, dice_.Split()),
      upgrade_({FaultKind::kUpgradeAll}, dice_),
      load_(options_.doors),
      nodes_(NodesFor(options_)),
      injector_(nodes_) {}

Status ClusterRun::Run() {
  WHARF_RETURN_IF_ERROR(nodes_.Found());
  can_lead_since_ = Clock::now();
  const bool has_older = !options_.nodes.older.empty();
  const std::uint64_t drawn = options_.rounds - (has_older ? 1 : 0);
  while (counts_.rounds < drawn && !options_.is_asked_to_end()) {
    WHARF_RETURN_IF_ERROR(Round(deck_));
  }
  if (has_older) WHARF_RETURN_IF_ERROR(Round(upgrade_));
  return End();
}

Status ClusterRun::Round(FaultDeck& deck) {
  LifeRecord life;
  WHARF_RETURN_IF_ERROR(Start(life));
  Status lived = TakeStock(counts_.rounds++ == 0);
  if (lived.ok()) lived = Heal();
  // What heals may have dismissed a member, and then each has another place.
  const Result<std::size_t> leader = lived.ok() ? nodes_.AwaitLeader(kLeaderPatience) : lived;
  lived = leader.ok() ? Live(life, deck.Draw(nodes_.size(), *leader)) : leader.status();
  Weigh(life);
  load_.recorder().Add(life);
  return lived;
}

// A leader that flaps may well serve in between: what counts is how long nobody did.
Status ClusterRun::Start(LifeRecord& life) {
  life.slowness = MeasureSlowness();
  life.election_timeout = nodes_.election_timeout();
  const Status ready = nodes_.AwaitLeader(kLeaderPatience).status();
  life.begin = load_.recorder().Now();
  life.start = std::min(Since(can_lead_since_), load_.progress().LongestSilence());
  life.is_ready = ready.ok();
  life.ready_at = Recorder::WallTime();
  if (!ready.ok()) load_.recorder().Add(life);
  return ready;
}

Status ClusterRun::TakeStock(bool is_first) {
  if (is_first) WHARF_RETURN_IF_ERROR(load_.Prepare(nodes_.addresses()));
  return load_.TakeStock(nodes_.addresses());
}

// The next leader is known to whoever asked in vain; so everybody comes to an end.
Status ClusterRun::Live(LifeRecord& life, const Fault& fault) {
  life.is_killed = !fault.is_orderly();
  life.fault = NameOf(fault.kind);
  load_.progress().Arm(dice_.Between(1, dice_.Chance(20) ? 5 : kAcknowledgementsMax), [&] {
    life.signal = load_.recorder().Now();
    can_lead_since_ = Clock::now();
    injector_.Strike(fault);
  });
  std::thread work([&] { load_.Work(nodes_.AllAddresses(), dice_); });
  Status ended;
  if (!load_.progress().WaitForStrike(kStrikePatience)) {
    ended = {ErrorCode::kServiceTimeout, "the broker leads, but acknowledges nothing any more"};
  }
  ++counts_.faults[static_cast<std::size_t>(fault.kind)];
  fault_ = fault;
  if (ended.ok()) ended = injector_.Last(fault);
  if (fault.keeps_serving()) {
    load_.progress().AwaitMore(kGoesOn, kGoOnPatience);
    life.silence = load_.progress().LongestSilence();
  }
  if (fault.lets_work_go_on()) can_lead_since_ = Clock::now();
  counts_.snapshots_broken = injector_.changes().snapshots_broken();
  counts_.nodes_emptied = nodes_.emptied();
  load_.progress().Stop();
  if (!fault.outlives_leader || !injector_.MayOutliveLeader(fault)) {
    Status healed = Heal();
    if (ended.ok()) ended = std::move(healed);
    can_lead_since_ = Clock::now();
  }
  work.join();
  return ended;
}

// What is measured in seconds has elections in it, which last as long as they were told to.
void ClusterRun::Weigh(LifeRecord& life) {
  const double elections =
      std::chrono::duration<double>(life.election_timeout) / ElectionTimeoutAt(1);
  life.slowness = std::max({life.slowness, MeasureSlowness(), elections});
  life.standstill = standstill_.TakeLongest();
}

Status ClusterRun::Heal() {
  if (!fault_) return {};
  const Fault fault = *std::exchange(fault_, std::nullopt);
  return injector_.Heal(fault);
}

Status ClusterRun::Drain() {
  WHARF_RETURN_IF_ERROR(Heal());
  return load_.Drain(nodes_.addresses());
}

Status ClusterRun::End() {
  LifeRecord last;
  WHARF_RETURN_IF_ERROR(Start(last));
  const Status drained = Drain();
  Weigh(last);
  load_.recorder().Add(last);
  WHARF_RETURN_IF_ERROR(drained);
  return nodes_.StopEqual();
}

}  // namespace wharf::crash
