#include "tools/wharf/bench/bench.h"

#include <algorithm>
#include <limits>
#include <memory>

#include <fmt/core.h>

#include "tools/wharf/bench/bounds.h"
#include "tools/wharf/bench/consumer.h"
#include "tools/wharf/bench/payload.h"
#include "tools/wharf/bench/producer.h"
#include "tools/wharf/bench/stopwatch.h"
#include "tools/wharf/terminal/progress_bar.h"
#include "tools/wharf/terminal/progress_ticker.h"

namespace wharf::tool {
namespace {

using std::chrono::steady_clock;
using Time = steady_clock::time_point;

constexpr std::uint64_t kUnbounded = std::numeric_limits<std::uint64_t>::max() / 2;
constexpr std::uint64_t kDrainMessages = 200'000;
// What the broker allows for a stream.
constexpr std::uint64_t kConcurrentSessionsMax = 1000;

using Producers = std::vector<std::unique_ptr<Producer>>;
using Consumers = std::vector<std::unique_ptr<Consumer>>;

Time DeadlineOf(const BenchPlan& plan) {
  return plan.messages.has_value() ? Time::max() : steady_clock::now() + plan.duration;
}

client::SessionOption SessionsOf(const BenchPlan& plan) {
  if (plan.sessions == 0) return {};
  const std::uint64_t share = (plan.sessions + plan.connections - 1) / plan.connections;
  const std::uint32_t concurrent =
      plan.concurrent_sessions > 0
          ? plan.concurrent_sessions
          : static_cast<std::uint32_t>(std::min<std::uint64_t>(share, kConcurrentSessionsMax));
  return client::ManySessions{.concurrent_max = concurrent,
                              .messages_per_turn = plan.messages_per_turn,
                              .idle_timeout = plan.session_idle};
}

BenchReport NewReport(std::string name, const BenchPlan& plan) {
  if (plan.sessions > 0) name += fmt::format(", {} sessions", plan.sessions);
  return {.name = std::move(name),
          .body_size = plan.body_size,
          .connections = plan.connections,
          .window = plan.window};
}

// Connected, and with the messages shared out among them.
Result<Producers> MakeProducers(const BenchPlan& plan, const Payload& payload, Time deadline) {
  Producers producers;
  const std::uint64_t total = plan.messages.value_or(kUnbounded);
  std::uint64_t first_session = 0;
  for (std::size_t i = 0; i < plan.connections; ++i) {
    const std::uint64_t share = total / plan.connections + (i < total % plan.connections ? 1 : 0);
    producers.push_back(std::make_unique<Producer>(plan.target,
                                                   Producer::Plan{.queue = plan.queue,
                                                                  .window = plan.window,
                                                                  .messages_max = share,
                                                                  .sessions = plan.sessions,
                                                                  .first_session = first_session,
                                                                  .base = plan.base,
                                                                  .deadline = deadline},
                                                   payload));
    WHARF_RETURN_IF_ERROR(producers.back()->Connect());
    first_session += share;
  }
  return producers;
}

Result<Consumers> MakeConsumers(const BenchPlan& plan, Milestone& settled) {
  Consumers consumers;
  for (std::size_t i = 0; i < plan.connections; ++i) {
    consumers.push_back(
        std::make_unique<Consumer>(plan.target,
                                   Consumer::Plan{.queue = plan.queue,
                                                  .window = static_cast<std::uint32_t>(plan.window),
                                                  .session = SessionsOf(plan)},
                                   settled));
    WHARF_RETURN_IF_ERROR(consumers.back()->Connect());
  }
  return consumers;
}

// Shown until all are acknowledged.
Status Join(const Producers& producers, const BenchPlan& plan) {
  const ProgressTicker ticker("sending", plan.messages, [&producers] {
    std::uint64_t acknowledged = 0;
    for (const auto& producer : producers) acknowledged += producer->acknowledged();
    return acknowledged;
  });
  Status status;
  for (const auto& producer : producers) {
    const Status joined = producer->Join();
    if (status.ok()) status = joined;
  }
  return status;
}

// How many messages were acknowledged.
std::uint64_t Collect(const Producers& producers, BenchReport& report) {
  BenchReport::Latency latency{.what = "acknowledged", .histogram = {}};
  std::uint64_t acknowledged = 0;
  std::uint64_t requests = 0;
  for (const auto& producer : producers) {
    latency.histogram.Merge(producer->latency());
    acknowledged += producer->acknowledged();
    requests += producer->requests();
    report.errors += producer->errors();
  }
  report.latencies.push_back(std::move(latency));
  if (requests > 0) {
    report.messages_per_request = static_cast<double>(acknowledged) / static_cast<double>(requests);
  }
  return acknowledged;
}

void Collect(const Consumers& consumers, std::uint64_t settled, bool has_latency,
             BenchReport& report) {
  BenchReport::Latency latency{.what = "delivered", .histogram = {}};
  std::uint64_t settlements = 0;
  for (const auto& consumer : consumers) {
    consumer->Stop();
    latency.histogram.Merge(consumer->latency());
    settlements += consumer->settlements();
    report.errors += consumer->errors();
  }
  if (has_latency) report.latencies.push_back(std::move(latency));
  if (settlements > 0) {
    report.messages_per_settlement =
        static_cast<double>(settled) / static_cast<double>(settlements);
  }
}

// False if no more messages are settled.
bool WaitWhileItGoesOn(Milestone& settled) {
  while (true) {
    const std::uint64_t before = settled.count();
    if (settled.WaitUntil(steady_clock::now() + kPatience)) return true;
    if (settled.is_given_up() || settled.count() == before) return false;
  }
}

// False if they stop to come before all are there; without a number, at the deadline.
bool WaitForAll(Milestone& settled, std::optional<std::uint64_t> messages, Time deadline) {
  const ProgressTicker ticker("settling", messages, [&settled] { return settled.count(); });
  if (messages.has_value()) return WaitWhileItGoesOn(settled);
  settled.WaitUntil(deadline);
  return true;
}

Status Stalled(std::uint64_t settled, std::uint64_t expected) {
  return {ErrorCode::kServiceTimeout,
          fmt::format("{} of {} messages were settled, and no more came", settled, expected)};
}

// One message after the other until the plan's end; `send` sends one.
template <typename Send>
Status OneByOne(const BenchPlan& plan, BenchReport& report, Send send) {
  const Payload payload(plan.body_size);
  const Time deadline = DeadlineOf(plan);
  const std::uint64_t total = plan.messages.value_or(kUnbounded);
  BenchReport::Latency latency{.what = "acknowledged", .histogram = {}};
  ProgressBar progress(plan.messages, report.name);
  const Time start = steady_clock::now();
  Time now = start;
  std::string body;
  while (report.messages < total && now < deadline) {
    payload.Fill(report.messages, now, body);
    WHARF_RETURN_IF_ERROR(send(body));
    const Time end = steady_clock::now();
    latency.histogram.Add(end - now);
    now = end;
    report.messages++;
    progress.Update(report.messages);
  }
  report.elapsed = now - start;
  report.latencies.push_back(std::move(latency));
  return Status::Ok();
}

}  // namespace

Result<BenchReport> BenchSend(const BenchPlan& plan) {
  BenchReport report = NewReport("send", plan);
  const Payload payload(plan.body_size);
  const Result<Producers> producers = MakeProducers(plan, payload, DeadlineOf(plan));
  if (!producers.ok()) return producers.status();
  Stopwatch stopwatch(plan.target);
  WHARF_RETURN_IF_ERROR(stopwatch.Start());
  for (const auto& producer : *producers) producer->Start();
  WHARF_RETURN_IF_ERROR(Join(*producers, plan));
  WHARF_RETURN_IF_ERROR(stopwatch.Stop(report));
  report.messages = Collect(*producers, report);
  return report;
}

// How many messages are there for drain to take.
Result<std::uint64_t> Fill(const BenchPlan& plan, BenchReport& report) {
  BenchPlan filling = plan;
  filling.messages = plan.messages.value_or(kDrainMessages);
  const Result<BenchReport> filled = BenchSend(filling);
  if (!filled.ok()) return filled.status();
  report.errors = filled->errors;
  return filled->messages;
}

Result<std::uint64_t> CountWaiting(const BenchPlan& plan) {
  if (plan.messages.has_value()) return *plan.messages;
  client::Client client(plan.target);
  const auto runtime = client.management().GetQueueRuntimeProperties(plan.queue);
  if (!runtime.ok()) return runtime.status();
  const std::int64_t waiting = runtime->active_message_count() - runtime->locked_message_count() -
                               runtime->delayed_message_count() - runtime->deferred_message_count();
  if (waiting > 0) return static_cast<std::uint64_t>(waiting);
  return Status(ErrorCode::kInvalidOperation,
                fmt::format("no message waits in the queue '{}'", plan.queue));
}

Result<BenchReport> BenchCycle(const BenchPlan& plan) {
  BenchReport report = NewReport("cycle", plan);
  const Payload payload(plan.body_size);
  Milestone settled(plan.messages.value_or(kUnbounded));
  const Result<Consumers> consumers = MakeConsumers(plan, settled);
  if (!consumers.ok()) return consumers.status();
  const Time deadline = DeadlineOf(plan);
  const Result<Producers> producers = MakeProducers(plan, payload, deadline);
  if (!producers.ok()) return producers.status();
  Stopwatch stopwatch(plan.target);
  WHARF_RETURN_IF_ERROR(stopwatch.Start());
  for (const auto& consumer : *consumers) consumer->Start();
  for (const auto& producer : *producers) producer->Start();
  if (!WaitForAll(settled, plan.messages, deadline)) {
    WHARF_RETURN_IF_ERROR(Join(*producers, plan));
    return Stalled(settled.count(), *plan.messages);
  }
  report.messages = settled.count();
  WHARF_RETURN_IF_ERROR(stopwatch.Stop(report));
  WHARF_RETURN_IF_ERROR(Join(*producers, plan));
  Collect(*producers, report);
  Collect(*consumers, report.messages, /*has_latency=*/true, report);
  return report;
}

Result<BenchReport> BenchDrain(const BenchPlan& plan) {
  BenchReport report = NewReport("drain", plan);
  const Result<std::uint64_t> expected = plan.is_filled ? CountWaiting(plan) : Fill(plan, report);
  if (!expected.ok()) return expected.status();
  Milestone settled(*expected);
  const Result<Consumers> consumers = MakeConsumers(plan, settled);
  if (!consumers.ok()) return consumers.status();
  Stopwatch stopwatch(plan.target);
  WHARF_RETURN_IF_ERROR(stopwatch.Start());
  for (const auto& consumer : *consumers) consumer->Start();
  if (!WaitForAll(settled, *expected, Time::max())) return Stalled(settled.count(), *expected);
  report.messages = settled.count();
  WHARF_RETURN_IF_ERROR(stopwatch.Stop(report));
  Collect(*consumers, report.messages, /*has_latency=*/false, report);
  return report;
}

Result<BenchReport> BenchLatencyUnary(const BenchPlan& plan) {
  BenchReport report = NewReport("latency, single calls", plan);
  report.connections = report.window = 1;
  client::Client client(plan.target, {.has_own_connection = true});
  WHARF_RETURN_IF_ERROR(client.Connect(std::chrono::seconds(10)));
  v1::SendRequest request;
  request.set_entity_path(plan.queue);
  v1::Message& message = *request.add_messages();
  if (plan.sessions > 0) message.set_session_id("s0");
  WHARF_RETURN_IF_ERROR(OneByOne(plan, report, [&](const std::string& body) {
    message.set_body(body);
    return client.Send(request).status();
  }));
  return report;
}

Result<BenchReport> BenchLatencyStream(const BenchPlan& plan) {
  BenchReport report = NewReport("latency, stream", plan);
  BenchPlan single = plan;
  single.connections = single.window = 1;
  const Result<BenchReport> sent = BenchSend(single);
  if (!sent.ok()) return sent.status();
  report = *sent;
  report.name = "latency, stream";
  return report;
}

}  // namespace wharf::tool
