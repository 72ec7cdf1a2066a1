#include "tools/wharf/bench/transaction_loop.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "tools/client/client.h"
#include "tools/wharf/bench/bounds.h"
#include "tools/wharf/bench/stopwatch.h"
#include "tools/wharf/terminal/progress_ticker.h"

namespace wharf::tool {
namespace {

using std::chrono::steady_clock;

// What a worker receives at a time.
constexpr std::uint32_t kBatch = 32;

// What all workers share. Any thread.
class Loop {
 public:
  explicit Loop(const BenchPlan& plan) : plan_(plan) {}

  // Goes on until the time is over, or one fails.
  void Work(client::Client& client, steady_clock::time_point end) {
    Histogram committed;
    while (!is_over_ && steady_clock::now() < end) {
      if (const Status status = WorkOnce(client, committed); !status.ok()) GiveUp(status);
    }
    MutexLock lock(mutex_);
    committed_.Merge(committed);
  }

  // At any time.
  std::uint64_t transactions() const { return transactions_; }
  // After the last Work.
  Status failure() const {
    MutexLock lock(mutex_);
    return failure_;
  }
  Histogram committed() const {
    MutexLock lock(mutex_);
    return committed_;
  }

 private:
  Status WorkOnce(client::Client& client, Histogram& committed) {
    v1::ReceiveRequest receive;
    receive.set_entity_path(plan_.queue);
    receive.set_max_messages(kBatch);
    receive.mutable_max_wait()->set_seconds(1);
    auto received = client.Receive(receive);
    if (!received.ok()) return received.status();
    for (v1::ReceivedMessage& message : *received->mutable_messages()) {
      const auto begin = steady_clock::now();
      const auto done = client.transactions().Run(Exchange(message));
      if (!done.ok()) return done.status();
      committed.Add(steady_clock::now() - begin);
      transactions_++;
    }
    return Status::Ok();
  }

  v1::RunTransactionRequest Exchange(v1::ReceivedMessage& message) const {
    v1::RunTransactionRequest request;
    v1::SettleRequest& settle = *request.add_operations()->mutable_settle();
    settle.set_entity_path(plan_.queue);
    settle.mutable_settlement()->mutable_complete();
    settle.mutable_settlement()->add_lock_tokens(message.lock_token());
    v1::SendRequest& send = *request.add_operations()->mutable_send();
    send.set_entity_path(plan_.queue);
    send.add_messages()->set_body(std::move(*message.mutable_message()->mutable_body()));
    return request;
  }

  void GiveUp(const Status& reason) {
    MutexLock lock(mutex_);
    if (!is_over_.exchange(true)) failure_ = reason;
  }

  const BenchPlan& plan_;
  std::atomic<std::uint64_t> transactions_ = 0;
  std::atomic<bool> is_over_ = false;
  mutable Mutex mutex_;
  Status failure_ ABSL_GUARDED_BY(mutex_);
  Histogram committed_ ABSL_GUARDED_BY(mutex_);
};

// In threads of their own, spread over the connections; returns when all are done.
Status Run(const BenchPlan& plan, std::size_t workers, Loop& loop) {
  std::vector<std::unique_ptr<client::Client>> clients;
  for (std::size_t i = 0; i < plan.connections; ++i) {
    clients.push_back(std::make_unique<client::Client>(
        plan.target, client::ClientOptions{.has_own_connection = true}));
    WHARF_RETURN_IF_ERROR(clients.back()->Connect(kPatience));
  }
  const auto end = steady_clock::now() + plan.duration;
  std::vector<std::thread> threads;
  threads.reserve(workers);
  for (std::size_t i = 0; i < workers; ++i) {
    threads.emplace_back(
        [&loop, end, &client = *clients[i % clients.size()]] { loop.Work(client, end); });
  }
  {
    const ProgressTicker ticker("transactions", std::nullopt,
                                [&loop] { return loop.transactions(); });
    for (std::thread& thread : threads) thread.join();
  }
  return loop.failure();
}

// Twice what the workers hold at a time.
Result<BenchReport> Fill(BenchPlan plan, std::size_t workers) {
  plan.messages = 2 * workers * kBatch;
  return BenchSend(plan);
}

}  // namespace

Result<BenchReport> BenchTransactions(const BenchPlan& plan, std::size_t workers) {
  const Result<BenchReport> filled = Fill(plan, workers);
  if (!filled.ok()) return filled.status();
  BenchReport report{.name = fmt::format("transactions, {} workers", workers),
                     .body_size = plan.body_size,
                     .connections = plan.connections,
                     .window = 1,
                     .errors = filled->errors};
  Loop loop(plan);
  Stopwatch stopwatch(plan.target);
  WHARF_RETURN_IF_ERROR(stopwatch.Start());
  WHARF_RETURN_IF_ERROR(Run(plan, workers, loop));
  WHARF_RETURN_IF_ERROR(stopwatch.Stop(report));
  report.messages = loop.transactions();
  report.latencies.push_back({.what = "committed", .histogram = loop.committed()});
  return report;
}

}  // namespace wharf::tool
