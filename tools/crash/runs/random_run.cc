#include "tools/crash/runs/random_run.h"

#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include <fmt/core.h>

#include "tools/crash/nodes/replica_rows.h"
#include "tools/crash/runs/pace.h"

namespace wharf::crash {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Duration kStartPatience = std::chrono::seconds(60);
constexpr Duration kStopPatience = std::chrono::seconds(60);
// As long as nothing at all is acknowledged.
constexpr Duration kStrikePatience = std::chrono::seconds(60);
// About as long as a start takes.
constexpr std::uint64_t kStartMicroseconds = 150'000;
constexpr std::uint64_t kAcknowledgementsMax = 400;
// With all the workers of the full load at work: a second or two.
constexpr std::uint64_t kFullLoadAcknowledgementsMax = 5'000;

Daemon::Options WithFlags(const RandomRun::Options& run) {
  const Doors& doors = run.doors;
  Daemon::Options options = run.daemon;
  options.flags = FlagsToCompact(run.seed);
  const auto listen = [&options](const char* place) {
    options.flags.insert(options.flags.end(), {"--listen", place});
  };
  if (doors.has_amqp) listen("amqp://127.0.0.1:0");
  if (doors.has_rest) listen("servicebus://127.0.0.1:0");
  return options;
}

Duration Since(Clock::time_point start) {
  return std::chrono::duration_cast<Duration>(Clock::now() - start);
}

}  // namespace

RandomRun::RandomRun(Options options)
    : options_(std::move(options)),
      dice_(options_.seed),
      load_(options_.doors),
      daemon_(WithFlags(options_)) {
  if (options_.stops_in_order) load_.AddFullLoad();
}

Status RandomRun::Run() {
  for (std::uint64_t round = 0; round < options_.rounds && !options_.is_asked_to_end(); ++round) {
    WHARF_RETURN_IF_ERROR(Round());
  }
  LifeRecord last;
  WHARF_RETURN_IF_ERROR(Start(last));
  Status drained = load_.Drain(daemon_.address());
  Status stopped = StopForGood(last);
  if (!drained.ok()) return drained;
  return stopped.ok() ? CheckLeftOver() : stopped;
}

// Nothing that a compaction, or a removal, should have taken along.
Status RandomRun::CheckLeftOver() const {
  const Result<ReplicaRows> rows = ReadSingle(options_.daemon.data);
  if (!rows.ok()) return rows.status();
  const std::string left = LeftOverIn(*rows);
  return left.empty() ? Status() : Status(ErrorCode::kGeneralError, left);
}

Status RandomRun::Round() {
  LifeRecord record;
  WHARF_RETURN_IF_ERROR(Start(record));
  Status stock = TakeStock();
  if (!stock.ok()) {
    load_.recorder().Add(record);
    return stock;
  }
  record.is_killed = !options_.stops_in_order && !dice_.Chance(10);
  const int signal = record.is_killed ? SIGKILL : SIGTERM;
  const std::uint64_t many =
      options_.stops_in_order ? kFullLoadAcknowledgementsMax : kAcknowledgementsMax;
  const std::uint64_t few_or_many = dice_.Chance(20) ? 5 : many;
  load_.progress().Arm(dice_.Between(1, few_or_many), [this, &record, signal] {
    record.signal = load_.recorder().Now();
    daemon_.Signal(signal);
  });
  std::thread work([&] { load_.Work(AddressesOf(), dice_); });
  Status ended = End(record);
  load_.progress().Stop();
  work.join();
  record.standstill = standstill_.TakeLongest();
  load_.recorder().Add(record);
  return ended;
}

Status RandomRun::Start(LifeRecord& life) {
  const bool kills = !options_.stops_in_order && dice_.Chance(20);
  if (kills) WHARF_RETURN_IF_ERROR(KillSomeStarts());
  life.slowness = MeasureSlowness();
  life.begin = load_.recorder().Now();
  const auto start = Clock::now();
  WHARF_RETURN_IF_ERROR(daemon_.Spawn());
  Status ready = daemon_.WaitUntilReady(kStartPatience);
  life.start = Since(start);
  life.is_ready = ready.ok();
  life.ready_at = Recorder::WallTime();
  if (!ready.ok()) load_.recorder().Add(life);
  return ready;
}

// At any moment of a start: right at its beginning, in the middle of recovery, when it is over.
Status RandomRun::KillSomeStarts() {
  for (std::uint64_t left = dice_.Between(1, 3); left > 0; --left) {
    WHARF_RETURN_IF_ERROR(daemon_.Spawn());
    const Duration moment(dice_.Chance(25) ? 0 : dice_.Below(kStartMicroseconds));
    static_cast<void>(daemon_.WaitUntilReady(moment));
    daemon_.Signal(SIGKILL);
    ++counts_.kills_at_start;
    WHARF_RETURN_IF_ERROR(daemon_.WaitUntilEnded(kStopPatience).status());
  }
  return {};
}

// In the first life there is nothing yet.
Status RandomRun::TakeStock() {
  const std::string address = daemon_.address();
  if (counts_.kills + counts_.stops == 0) WHARF_RETURN_IF_ERROR(load_.Prepare(address));
  return load_.TakeStock(address);
}

Addresses RandomRun::AddressesOf() {
  Addresses addresses{.grpc = daemon_.address()};
  if (const std::string amqp = daemon_.amqp_address(); !amqp.empty()) addresses.amqp = {amqp};
  if (const std::string rest = daemon_.rest_address(); !rest.empty()) addresses.rest = {rest};
  return addresses;
}

Status RandomRun::End(LifeRecord& life) {
  Status struck;
  if (!load_.progress().WaitForStrike(kStrikePatience)) {
    struck = {ErrorCode::kServiceTimeout, "the broker lives, but acknowledges nothing any more"};
    daemon_.Signal(SIGKILL);
  }
  const auto stop = Clock::now();
  const Result<bool> ended = daemon_.WaitUntilEnded(kStopPatience);
  life.stop = Since(stop);
  life.ended_cleanly = life.is_killed || (ended.ok() && *ended);
  life.answers_all = !life.is_killed && life.ended_cleanly;
  ++(life.is_killed ? counts_.kills : counts_.stops);
  return struck.ok() ? ended.status() : struck;
}

Status RandomRun::StopForGood(LifeRecord& life) {
  life.is_killed = false;
  life.signal = load_.recorder().Now();
  daemon_.Signal(SIGTERM);
  const auto stop = Clock::now();
  const Result<bool> ended = daemon_.WaitUntilEnded(kStopPatience);
  life.stop = Since(stop);
  life.ended_cleanly = ended.ok() && *ended;
  life.standstill = standstill_.TakeLongest();
  load_.recorder().Add(life);
  return ended.status();
}

}  // namespace wharf::crash
