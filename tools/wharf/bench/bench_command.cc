#include "tools/wharf/bench/bench_command.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <fmt/core.h>

#include "tools/wharf/bench/bench.h"
#include "tools/wharf/bench/bench_publish_command.h"
#include "tools/wharf/bench/bench_queue.h"
#include "tools/wharf/bench/park.h"
#include "tools/wharf/bench/scramble.h"
#include "tools/wharf/bench/session_tour.h"
#include "tools/wharf/bench/transaction_loop.h"
#include "tools/wharf/terminal/progress_bar.h"
#include "tools/wharf/text/choice_option.h"
#include "tools/wharf/text/number_option.h"

namespace wharf::tool {
namespace {

struct BenchOptions {
  BenchPlan plan;
  std::string queue = "bench";
  bool is_existing = false;
  bool is_sure = false;
  bool keeps_queue = false;
  std::optional<int> pid;
};
using Measurement = std::function<Result<BenchReport>(const BenchPlan& plan)>;

// Larger messages do not go over a stream.
constexpr std::uint64_t kBodySizeMax = std::uint64_t{1} << 20;

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

// One after the other, until one fails.
Result<std::vector<BenchReport>> MeasureAll(const BenchOptions& options, const BenchPlan& plan,
                                            const std::vector<Measurement>& measurements) {
  std::vector<BenchReport> reports;
  for (const Measurement& measurement : measurements) {
    Result<BenchReport> report = Measure(options, plan, measurement);
    if (!report.ok()) return report.status();
    reports.push_back(*std::move(report));
  }
  return reports;
}

// In a queue of its own.
Result<std::vector<BenchReport>> MeasureInNewQueue(Program& program, const BenchOptions& options,
                                                   const std::vector<Measurement>& measurements,
                                                   BenchPlan& plan) {
  BenchQueue queue(program, options.queue, options.plan.body_size);
  if (options.plan.sessions > 0) queue.RequireSessions();
  if (options.keeps_queue) queue.Keep();
  plan.queue = queue.name();
  if (const Status status = queue.Create(); !status.ok()) return status;
  auto reports = MeasureAll(options, plan, measurements);
  queue.WaitIfInterrupted();
  return reports;
}

ExitCode Bench(Program& program, const BenchOptions& options,
               const std::vector<Measurement>& measurements) {
  BenchPlan plan = options.plan;
  plan.address = program.target();
  plan.queue = options.queue;
  plan.is_filled = options.is_existing;
  const auto reports = options.is_existing
                           ? MeasureAll(options, plan, measurements)
                           : MeasureInNewQueue(program, options, measurements, plan);
  if (!reports.ok()) return program.Fail(reports.status());
  Json json = Json::array();
  std::uint64_t errors = 0;
  for (const BenchReport& report : *reports) {
    errors += report.errors;
    json.push_back(ToJson(report));
    if (!program.is_json) program.out.Print("{}", ToText(report));
  }
  if (program.is_json) program.out.PrintJson({{"queue", plan.queue}, {"reports", std::move(json)}});
  return errors == 0 ? ExitCode::kOk : ExitCode::kFailed;
}

// A measurement sends to a queue and takes what is in it.
void AddConsentFlag(CLI::App& command, bool& is_sure) {
  command.add_flag("--yes", is_sure,
                   "It is meant: the queue is not one that the measurement made, and messages that "
                   "others sent may be taken");
}

void CheckConsent(const std::string& queue, bool is_sure) {
  if (is_sure) return;
  throw CLI::ValidationError(
      fmt::format("this uses the queue '{}', which the measurement did not make, and may take "
                  "messages that others sent; if that is meant, say --yes, too",
                  queue));
}

// One, not all that pidof finds.
int PidFrom(const std::string& text) {
  const NumberRange range = {.min = 1, .max = RangeOf<int>().max};
  const Result<std::uint64_t> pid = ParseNumber(text, range);
  if (pid.ok()) return static_cast<int>(*pid);
  const std::string first = text.substr(0, text.find(' '));
  if (first.size() < text.size() && ParseNumber(first, range).ok()) {
    throw CLI::ValidationError(
        "--pid", fmt::format("\"{}\" are several processes; name the one of the broker that is "
                             "measured",
                             text));
  }
  throw CLI::ValidationError("--pid", pid.status().message());
}

void AddQueueOptions(CLI::App& command, BenchOptions& options) {
  command.add_option("--queue", options.queue, "The queue's name; a random suffix is added")
      ->capture_default_str();
  command.add_flag(
      "--existing", options.is_existing,
      "Use the queue of this very name that is there, and leave it; drain and sessions then take "
      "what it holds. Needs --yes");
  AddConsentFlag(command, options.is_sure);
  command.add_flag("--keep", options.keeps_queue, "Leave the queue and what is in it");
  AddNumberOption(command, "--size", options.plan.body_size, "The body of a message, in bytes",
                  {.max = kBodySizeMax});
  AddNumberOption(command, "--connections", options.plan.connections,
                  "TCP connections; with cycle, of each kind", {.min = 1, .max = 1000});
  const auto take_pid = [&options](const std::string& text) { options.pid = PidFrom(text); };
  command
      .add_option_function<std::string>(
          "--pid", take_pid,
          "The daemon's process, one number: shows its peak memory and the bytes it wrote")
      ->type_name("PID");
}

void AddLoadOptions(CLI::App& command, BenchPlan& plan) {
  AddNumberOption(command, "--window", plan.window, "Messages without a receipt, per connection",
                  {.min = 1, .max = 100'000});
  AddNumberOption(command, "--messages", plan.messages,
                  "End after so many messages instead of --duration; drain: default 200000, or all "
                  "that the existing queue holds",
                  {.min = 1});
  AddDurationOption(command, "--duration", plan.duration, "End after this time");
}

void AddSessionOptions(CLI::App& command, BenchPlan& plan) {
  CLI::Option* sessions = AddNumberOption(
      command, "--sessions", plan.sessions,
      "The queue requires sessions, and messages go to so many of them in turn", {.min = 1});
  sessions->default_str("");
  AddNumberOption(command, "--concurrent-sessions", plan.concurrent_sessions,
                  "Sessions that a connection holds at a time; default: its share of all",
                  {.min = 1, .max = 1000})
      ->default_str("")
      ->needs(sessions);
  AddNumberOption(command, "--max-per-turn", plan.messages_per_turn,
                  "Messages of a session before others get their turn; 0 for all")
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
    if (options->is_existing) CheckConsent(options->queue, options->is_sure);
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
  AddNumberOption(command, "--count", options->plan.sessions, "How many sessions", {.min = 1});
  AddNumberOption(command, "--consumers", *consumers, "How many, each with one session at a time",
                  {.min = 1, .max = 1000});
  command.callback([options, consumers, &program] {
    if (options->is_existing) CheckConsent(options->queue, options->is_sure);
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
  AddNumberOption(command, "--workers", *workers, "How many, each with one transaction at a time",
                  {.min = 1, .max = 1000});
  command.callback([options, workers, &program] {
    if (options->is_existing) CheckConsent(options->queue, options->is_sure);
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
  AddNumberOption(command, "--count", plan->count, "How many messages; all are locked at first",
                  {.min = 1})
      ->default_str("")
      ->required();
  AddNumberOption(command, "--seed", plan->seed, "Equal seeds choose equally");
  const auto is_sure = std::make_shared<bool>();
  AddConsentFlag(command, *is_sure);
  command.callback([plan, is_sure, &program] {
    CheckConsent(plan->queue, *is_sure);
    program.action = [plan, &program] { return RunScramble(program, *plan); };
  });
}

// With what it does once it is sure.
void AddParkOptions(CLI::App& command, Program& program, const std::shared_ptr<ParkPlan>& shared,
                    ExitCode (*run)(Program&, const ParkPlan&)) {
  ParkPlan& plan = *shared;
  command.add_option("--queue", plan.queue, "The queue, which exists and is empty")->required();
  AddNumberOption(command, "--count", plan.count, "How many messages", {.min = 1})
      ->default_str("")
      ->required();
  AddNumberOption(command, "--size", plan.body_size, "The body of a message, in bytes",
                  {.max = kBodySizeMax});
  const auto is_sure = std::make_shared<bool>();
  AddConsentFlag(command, *is_sure);
  command.callback([shared, is_sure, run, &program] {
    CheckConsent(shared->queue, *is_sure);
    program.action = [shared, run, &program] { return run(program, *shared); };
  });
}

ExitCode RunPark(Program& program, const ParkPlan& plan) {
  const Status parked = Park(program.client(), plan);
  if (!parked.ok()) return program.Fail(parked);
  if (program.is_json) {
    program.out.PrintJson({{"queue", plan.queue}, {"parked", plan.count}});
  } else {
    program.out.Print("{}: {} parked\n", plan.queue, WithThousands(plan.count));
  }
  return ExitCode::kOk;
}

void AddPark(CLI::App& noun, Program& program) {
  const auto plan = std::make_shared<ParkPlan>();
  CLI::App& command = *noun.add_subcommand(
      "park", "Fill a queue with messages that are scheduled, deferred or delayed");
  AddParkOptions(command, program, plan, RunPark);
  const std::map<std::string, ParkedState> states = {{"scheduled", ParkedState::kScheduled},
                                                     {"deferred", ParkedState::kDeferred},
                                                     {"delayed", ParkedState::kDelayed}};
  AddChoiceOption(command, "--as", states, plan->state, "What they shall be, for a day")
      ->required();
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
  AddParkOptions(command, program, plan, RunDue);
  plan->after = std::chrono::seconds(20);
  plan->over = std::chrono::seconds(20);
  AddDurationOption(command, "--after", plan->after,
                    "The first is due so long from now; time enough to send them all");
  AddDurationOption(command, "--over", plan->over, "From the first to the last");
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
