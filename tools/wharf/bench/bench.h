// The measurements of `wharf bench`, under the same rules for every broker: a window of
// unacknowledged messages per connection, a receipt for each message, connections of their own.
//
// Each runs on the main thread and returns when it is over.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "storage/base/status.h"
#include "storage/base/time.h"
#include "tools/client/target.h"
#include "tools/wharf/bench/bench_report.h"
#include "wharf/v1/message.pb.h"

namespace wharf::tool {

struct BenchPlan {
  client::Target target;
  std::string queue;
  std::size_t body_size = 1024;
  std::size_t connections = 4;
  std::size_t window = 256;
  // The end: so many messages, or without a number, so much time.
  std::optional<std::uint64_t> messages;
  Duration duration = std::chrono::seconds(10);
  // Messages belong to so many sessions, and a connection holds several at a time. 0: to none.
  std::uint64_t sessions = 0;
  // 0: so many that all connections together hold them all, if the broker allows it.
  std::uint32_t concurrent_sessions = 0;
  std::uint32_t messages_per_turn = 0;
  Duration session_idle = std::chrono::seconds(1);
  // What all messages have besides their bodies and sessions.
  v1::Message base{};
  // Drain takes what the queue holds, instead of filling it first.
  bool is_filled = false;
};

// Durable sends.
Result<BenchReport> BenchSend(const BenchPlan& plan);
// Producers and consumers at once, as many connections of each: send, receive, complete.
Result<BenchReport> BenchCycle(const BenchPlan& plan);
// Receive and complete of messages that were sent before; of a filled queue and without a number,
// of all that wait in it.
Result<BenchReport> BenchDrain(const BenchPlan& plan);
// Durable sends one at a time: by single calls, and over a stream.
Result<BenchReport> BenchLatencyUnary(const BenchPlan& plan);
Result<BenchReport> BenchLatencyStream(const BenchPlan& plan);

}  // namespace wharf::tool
