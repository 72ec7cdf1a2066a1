#include "tools/wharf/bench_command.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <fmt/core.h>

#include "tools/wharf/bench/bench.h"
#include "tools/wharf/bench/bench_queue.h"
#include "tools/wharf/bench/park.h"
#include "tools/wharf/bench/scramble.h"
#include "tools/wharf/bench/session_tour.h"
#include "tools/wharf/bench/transaction_loop.h"
#include "tools/wharf/bench_publish_command.h"
#include "tools/wharf/progress_bar.h"

namespace wharf::tool {
namespace {

struct BenchOptions {
  BenchPlan plan;
  std::string queue = "bench";
  bool is_existing = false;
  bool keeps_queue = false;
  std::optional<int> pid;
};
using Measurement = std::function<Result<BenchReport>(const BenchPlan& plan)>;

// Runs the measurement and adds what the daemon used meanwhile.
Result<BenchReport> Measure(const BenchOptions& options, const BenchPlan& plan,
                            const Measurement& measurement) {
  if (!options.pid.has_value()) return measurement(plan);
  const Result<ProcessUsage> before = ReadProcessUsage(*options.pid);
  if (!before.ok()) return before.status();
  Result<BenchReport> report = measurement(plan);
  if (!report.ok()) return report;
  Result<ProcessUsage> after = ReadProcessUsage(*options.pid);
  if (!after.ok()) return after.status();
  after->written_bytes -= before->written_bytes;
  report->usage = *after;
  return report;
}

ExitCode Bench(Program& program, const BenchOptions& options,
               const std::vector<Measurement>& measurements) {
  BenchPlan plan = options.plan;
  plan.address = program.address;
  plan.queue = options.queue;
  plan.is_filled = options.is_existing;
  std::optional<BenchQueue> queue;
  if (!options.is_existing) {
    queue.emplace(program, options.queue, options.plan.body_size);
    if (options.plan.sessions > 0) queue->RequireSessions();
    if (const Status status = queue->Create(); !status.ok()) return program.Fail(status);
    if (options.keeps_queue) queue->Keep();
    plan.queue = queue->name();
  }
  Json reports = Json::array();
  std::uint64_t errors = 0;
  for (const Measurement& measurement : measurements) {
    const Result<BenchReport> report = Measure(options, plan, measurement);
    if (!report.ok()) return program.Fail(report.status());
    errors += report->errors;
    reports.push_back(ToJson(*report));
    if (!program.is_json) program.out.Print("{}", ToText(*report));
  }
  if (program.is_json)
    program.out.PrintJson({{"queue", plan.queue}, {"reports", std::move(reports)}});
  return errors == 0 ? ExitCode::kOk : ExitCode::kFailed;
}

void AddQueueOptions(CLI::App& command, BenchOptions& options) {
  command.add_option("--queue", options.queue, "The queue's name; a random suffix is added")
      ->capture_default_str();
  command.add_flag(
      "--existing", options.is_existing,
      "Use the queue NAME that is there, and leave it; drain and sessions then take what it "
      "holds");
  command.add_flag("--keep", options.keeps_queue, "Leave the queue and what is in it");
  command.add_option("--size", options.plan.body_size, "The body of a message, in bytes")
      ->capture_default_str()
      ->check(CLI::Range(0, 1 << 20));
  command
      .add_option("--connections", options.plan.connections,
                  "TCP connections; with cycle, of each kind")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command.add_option("--pid", options.pid,
                     "The daemon's process: shows its peak memory and the bytes it wrote");
}

void AddLoadOptions(CLI::App& command, BenchPlan& plan) {
  command.add_option("--window", plan.window, "Messages without a receipt, per connection")
      ->capture_default_str()
      ->check(CLI::Range(1, 100'000));
  command
      .add_option("--messages", plan.messages,
                  "End after so many messages instead of --duration; drain: default 200000, or all "
                  "that the existing queue holds")
      ->check(CLI::PositiveNumber);
  AddDurationOption(command, "--duration", plan.duration, "End after this time");
}

void AddSessionOptions(CLI::App& command, BenchPlan& plan) {
  CLI::Option* sessions =
      command
          .add_option("--sessions", plan.sessions,
                      "The queue requires sessions, and messages go to so many of them in turn")
          ->check(CLI::PositiveNumber);
  command
      .add_option("--concurrent-sessions", plan.concurrent_sessions,
                  "Sessions that a connection holds at a time; default: its share of all")
      ->check(CLI::Range(1, 1000))
      ->needs(sessions);
  command
      .add_option("--max-per-turn", plan.messages_per_turn,
                  "Messages of a session before others get their turn; 0 for all")
      ->capture_default_str()
      ->needs(sessions);
  AddDurationOption(command, "--idle", plan.session_idle,
                    "How long a session is kept that has nothing more")
      ->needs(sessions);
}

void AddMeasurement(CLI::App& noun, Program& program, const std::string& name,
                    const std::string& help, const std::vector<Measurement>& measurements) {
  const auto options = std::make_shared<BenchOptions>();
  CLI::App& command = *noun.add_subcommand(name, help);
  AddQueueOptions(command, *options);
  AddLoadOptions(command, options->plan);
  AddSessionOptions(command, options->plan);
  command.callback([options, measurements, &program] {
    program.action = [options, measurements, &program] {
      return Bench(program, *options, measurements);
    };
  });
}

void AddSessions(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<BenchOptions>();
  const auto consumers = std::make_shared<std::size_t>(100);
  CLI::App& command = *noun.add_subcommand(
      "sessions",
      "Send a message to each of many sessions, then measure consumers that accept the next "
      "session, receive, complete and release, by single calls");
  AddQueueOptions(command, *options);
  options->plan.sessions = 100'000;
  command.add_option("--count", options->plan.sessions, "How many sessions")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command.add_option("--consumers", *consumers, "How many, each with one session at a time")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command.callback([options, consumers, &program] {
    program.action = [options, consumers, &program] {
      return Bench(program, *options, {[consumers](const BenchPlan& plan) {
                     return BenchSessionTour(plan, *consumers);
                   }});
    };
  });
}

void AddTransactions(CLI::App& noun, Program& program) {
  const auto options = std::make_shared<BenchOptions>();
  const auto workers = std::make_shared<std::size_t>(100);
  CLI::App& command = *noun.add_subcommand(
      "transactions",
      "Workers that receive messages and, in a transaction each, complete one and send another, by "
      "single calls");
  AddQueueOptions(command, *options);
  AddDurationOption(command, "--duration", options->plan.duration, "End after this time");
  command.add_option("--workers", *workers, "How many, each with one transaction at a time")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command.callback([options, workers, &program] {
    program.action = [options, workers, &program] {
      return Bench(program, *options, {[workers](const BenchPlan& plan) {
                     return BenchTransactions(plan, *workers);
                   }});
    };
  });
}

ExitCode RunScramble(Program& program, const ScramblePlan& plan) {
  const Result<ScrambleReport> report = Scramble(program.client(), plan);
  if (!report.ok()) return program.Fail(report.status());
  if (program.is_json) {
    program.out.PrintJson({{"queue", plan.queue},
                           {"locked", report->locked},
                           {"abandoned", report->abandoned},
                           {"dead_lettered", report->dead_lettered}});
  } else {
    program.out.Print("{}: {} left locked, {} abandoned, {} dead-lettered\n", plan.queue,
                      WithThousands(report->locked), WithThousands(report->abandoned),
                      WithThousands(report->dead_lettered));
  }
  return ExitCode::kOk;
}

void AddScramble(CLI::App& noun, Program& program) {
  const auto plan = std::make_shared<ScramblePlan>();
  CLI::App& command = *noun.add_subcommand(
      "scramble",
      "Make a queue look used: lock messages, then leave each locked, abandon or dead-letter it, "
      "by lot");
  command.add_option("--queue", plan->queue, "The queue, which exists")->required();
  command.add_option("--count", plan->count, "How many messages; all are locked at first")
      ->required()
      ->check(CLI::PositiveNumber);
  command.add_option("--seed", plan->seed, "Equal seeds choose equally")->capture_default_str();
  command.callback([plan, &program] {
    program.action = [plan, &program] { return RunScramble(program, *plan); };
  });
}

void AddParkOptions(CLI::App& command, ParkPlan& plan) {
  command.add_option("--queue", plan.queue, "The queue, which exists and is empty")->required();
  command.add_option("--count", plan.count, "How many messages")
      ->required()
      ->check(CLI::PositiveNumber);
  command.add_option("--size", plan.body_size, "The body of a message, in bytes")
      ->capture_default_str()
      ->check(CLI::Range(0, 1 << 20));
}

ExitCode RunPark(Program& program, const ParkPlan& plan) {
  const Status parked = Park(program.client(), plan);
  if (!parked.ok()) return program.Fail(parked);
  if (!program.is_json) program.out.Print("{}: {} parked\n", plan.queue, WithThousands(plan.count));
  return ExitCode::kOk;
}

void AddPark(CLI::App& noun, Program& program) {
  const auto plan = std::make_shared<ParkPlan>();
  CLI::App& command = *noun.add_subcommand(
      "park", "Fill a queue with messages that are scheduled, deferred or delayed");
  AddParkOptions(command, *plan);
  const std::map<std::string, ParkedState> states = {{"scheduled", ParkedState::kScheduled},
                                                     {"deferred", ParkedState::kDeferred},
                                                     {"delayed", ParkedState::kDelayed}};
  command.add_option("--as", plan->state, "scheduled, deferred or delayed, for a day")
      ->required()
      ->transform(CLI::CheckedTransformer(states));
  command.callback(
      [plan, &program] { program.action = [plan, &program] { return RunPark(program, *plan); }; });
}

ExitCode RunDue(Program& program, const ParkPlan& plan) {
  const Result<DueReport> report = MeasureDue(program.client(), plan);
  if (!report.ok()) return program.Fail(report.status());
  const auto milliseconds = [&](double share) {
    return std::chrono::duration<double, std::milli>(report->lateness.Percentile(share)).count();
  };
  if (program.is_json) {
    program.out.PrintJson({{"messages", report->messages},
                           {"late_ms_p50", milliseconds(0.5)},
                           {"late_ms_p99", milliseconds(0.99)},
                           {"late_ms_max", milliseconds(1)}});
  } else {
    program.out.Print("{} activated; late by p50 {:.1f} ms, p99 {:.1f} ms, at most {:.1f} ms\n",
                      WithThousands(report->messages), milliseconds(0.5), milliseconds(0.99),
                      milliseconds(1));
  }
  return ExitCode::kOk;
}

void AddDue(CLI::App& noun, Program& program) {
  const auto plan = std::make_shared<ParkPlan>();
  CLI::App& command = *noun.add_subcommand(
      "due", "Schedule messages evenly over a time, and measure how late they are activated");
  AddParkOptions(command, *plan);
  plan->after = std::chrono::seconds(20);
  plan->over = std::chrono::seconds(20);
  AddDurationOption(command, "--after", plan->after,
                    "The first is due so long from now; time enough to send them all");
  AddDurationOption(command, "--over", plan->over, "From the first to the last");
  command.callback(
      [plan, &program] { program.action = [plan, &program] { return RunDue(program, *plan); }; });
}

}  // namespace

void AddBenchCommand(CLI::App& app, Program& program) {
  CLI::App& noun = *app.add_subcommand(
      "bench", "Measure the broker; every acknowledgement waits for stable storage");
  noun.require_subcommand(1);
  AddMeasurement(noun, program, "send", "Sends only", {BenchSend});
  AddMeasurement(noun, program, "cycle", "Send, receive and complete at the same time",
                 {BenchCycle});
  AddMeasurement(noun, program, "drain", "Fill a queue, then measure receive and complete",
                 {BenchDrain});
  AddMeasurement(noun, program, "latency", "Send one at a time: single calls, then a stream",
                 {BenchLatencyUnary, BenchLatencyStream});
  AddSessions(noun, program);
  AddBenchPublishCommand(noun, program);
  AddTransactions(noun, program);
  AddScramble(noun, program);
  AddPark(noun, program);
  AddDue(noun, program);
}

}  // namespace wharf::tool
