#include "tools/wharf/bench/session_tour.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "tools/client/client.h"
#include "tools/wharf/bench/bounds.h"
#include "tools/wharf/bench/stopwatch.h"
#include "tools/wharf/terminal/progress_bar.h"
#include "tools/wharf/terminal/progress_ticker.h"

namespace wharf::tool {
namespace {

using std::chrono::steady_clock;

// What all consumers share. Any thread.
class Tour {
 public:
  Tour(std::string queue, std::uint64_t sessions) : queue_(std::move(queue)), sessions_(sessions) {}

  // Goes on until all sessions are done, or one fails.
  void Consume(client::Client& client) {
    Histogram accepted;
    Histogram released;
    while (!is_over_ && begun_.fetch_add(1) < sessions_) {
      if (const Status status = ConsumeOne(client, accepted, released); !status.ok()) {
        GiveUp(status);
      }
    }
    MutexLock lock(mutex_);
    accepted_.Merge(accepted);
    released_.Merge(released);
  }

  // At any time.
  std::uint64_t messages() const { return messages_; }
  // After the last Consume.
  Status failure() const {
    MutexLock lock(mutex_);
    return failure_;
  }
  Histogram accepted() const {
    MutexLock lock(mutex_);
    return accepted_;
  }
  Histogram released() const {
    MutexLock lock(mutex_);
    return released_;
  }

 private:
  Status ConsumeOne(client::Client& client, Histogram& accepted, Histogram& released) {
    const auto begin = steady_clock::now();
    const auto session = client.sessions().AcceptNextSession(queue_, kPatience);
    if (!session.ok()) return session.status();
    accepted.Add(steady_clock::now() - begin);
    WHARF_RETURN_IF_ERROR(ReceiveAndComplete(client, *session));
    WHARF_RETURN_IF_ERROR(client.sessions().ReleaseSession(queue_, session->session_lock_token()));
    released.Add(steady_clock::now() - begin);
    messages_++;
    return Status::Ok();
  }

  Status ReceiveAndComplete(client::Client& client, const v1::AcceptedSession& session) {
    v1::ReceiveRequest receive;
    receive.set_entity_path(queue_);
    receive.set_session_lock_token(session.session_lock_token());
    const auto received = client.Receive(receive);
    if (!received.ok()) return received.status();
    if (received->messages().empty()) {
      return {ErrorCode::kMessageNotFound,
              fmt::format("the session {} was offered and has no message", session.session_id())};
    }
    v1::SettleRequest settle;
    settle.set_entity_path(queue_);
    settle.mutable_settlement()->mutable_complete();
    settle.mutable_settlement()->add_lock_tokens(received->messages(0).lock_token());
    const auto settled = client.Settle(settle);
    return settled.status();
  }

  void GiveUp(const Status& reason) {
    MutexLock lock(mutex_);
    if (!is_over_.exchange(true)) failure_ = reason;
  }

  const std::string queue_;
  const std::uint64_t sessions_;
  std::atomic<std::uint64_t> begun_ = 0;
  std::atomic<std::uint64_t> messages_ = 0;
  std::atomic<bool> is_over_ = false;
  mutable Mutex mutex_;
  Status failure_ ABSL_GUARDED_BY(mutex_);
  Histogram accepted_ ABSL_GUARDED_BY(mutex_);
  Histogram released_ ABSL_GUARDED_BY(mutex_);
};

// In threads of their own, spread over the connections; returns when all are done.
Status Run(const BenchPlan& plan, std::size_t consumers, Tour& tour) {
  std::vector<std::unique_ptr<client::Client>> clients;
  for (std::size_t i = 0; i < plan.connections; ++i) {
    clients.push_back(std::make_unique<client::Client>(
        plan.target, client::ClientOptions{.has_own_connection = true}));
    WHARF_RETURN_IF_ERROR(clients.back()->Connect(kPatience));
  }
  std::vector<std::thread> threads;
  threads.reserve(consumers);
  for (std::size_t i = 0; i < consumers; ++i) {
    threads.emplace_back([&tour, &client = *clients[i % clients.size()]] { tour.Consume(client); });
  }
  {
    const ProgressTicker ticker("sessions", plan.sessions, [&tour] { return tour.messages(); });
    for (std::thread& thread : threads) thread.join();
  }
  return tour.failure();
}

Result<BenchReport> Fill(BenchPlan plan) {
  plan.messages = plan.sessions;
  return BenchSend(plan);
}

}  // namespace

Result<BenchReport> BenchSessionTour(const BenchPlan& plan, std::size_t consumers) {
  BenchReport report{
      .name = fmt::format("{} sessions, {} consumers", WithThousands(plan.sessions), consumers),
      .body_size = plan.body_size,
      .connections = plan.connections,
      .window = 1};
  if (!plan.is_filled) {
    const Result<BenchReport> filled = Fill(plan);
    if (!filled.ok()) return filled.status();
    report.errors = filled->errors;
  }
  Tour tour(plan.queue, plan.sessions);
  Stopwatch stopwatch(plan.target);
  WHARF_RETURN_IF_ERROR(stopwatch.Start());
  WHARF_RETURN_IF_ERROR(Run(plan, consumers, tour));
  WHARF_RETURN_IF_ERROR(stopwatch.Stop(report));
  report.messages = tour.messages();
  report.latencies.push_back({.what = "accepted", .histogram = tour.accepted()});
  report.latencies.push_back({.what = "released", .histogram = tour.released()});
  return report;
}

}  // namespace wharf::tool
