#include "tests/engine/model/model_run.h"

#include <utility>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/harness/small_spans.h"

namespace wharf {
namespace {

using std::chrono::seconds;

// A window so small that every test meets its edges.
ShardLimits SmallWindows(SeededRandom& random) {
  ShardLimits limits;
  limits.broker.queue.lane.window.messages_max = 1 + random.Next() % 6;
  limits.broker.queue.lane.window.bytes_max = 1 + random.Next() % 20000;
  limits.broker.queue.lane.window.content_ahead = 1 + random.Next() % 4;
  const std::int64_t run_min = 1 + random.Next() % 4;
  limits.broker.queue.lane.spans = SmallSpans(random);
  limits.broker.queue.lane.spans.run.count_min = run_min;
  limits.broker.queue.lane.hint_length = seconds(random.Next() % 30);
  limits.expiry_grain = {};
  // What nothing is in rests at the end of each turn.
  limits.broker.queue.look_pause = {};
  limits.windows_bytes_max = random.Next() % 2 == 0 ? 1 : 100000;
  return limits;
}

}  // namespace

ModelRun::ModelRun(std::uint64_t seed, bool is_on_disk)
    : random_(seed),
      engine_({.seed = seed,
               .limits = SmallWindows(random_),
               .drops_garbage = seed % 2 == 0,
               .is_on_disk = is_on_disk}) {
  Create();
}

void ModelRun::Step() {
  // Weights, in the order of what a queue lives on.
  const std::pair<int, void (ModelRun::*)()> acts[] = {
      {8, &ModelRun::Send},
      {8, &ModelRun::Receive},
      {10, &ModelRun::Settle},
      {2, &ModelRun::Renew},
      {5, &ModelRun::Advance},
      {2, &ModelRun::Peek},
      {2, &ModelRun::Restart},
      {1, &ModelRun::Update},
      {3, &ModelRun::ReceiveDeferred},
      {2, &ModelRun::Undefer},
      {2, &ModelRun::ReceiveOne},
      {2, &ModelRun::SettleOne},
      {1, &ModelRun::DeleteOldest},
      {2, &ModelRun::CancelScheduled},
      {2, &ModelRun::Reschedule},
      {1, &ModelRun::Activate},
      {1, &ModelRun::ListScheduled},
      {1, &ModelRun::Redrive},
      {1, &ModelRun::PurgeSometimes},
      {2, &ModelRun::CheckAccounts},
      {1, &ModelRun::RecreateSometimes},
      {1, &ModelRun::FloodSometimes},
  };
  int all = 0;
  for (const auto& [weight, act] : acts) all += weight;
  auto chosen = static_cast<int>(Below(static_cast<std::uint64_t>(all)));
  for (const auto& [weight, act] : acts) {
    chosen -= weight;
    if (chosen < 0) return (this->*act)();
  }
}

QueueDescription ModelRun::AnyDescription() {
  QueueDescription description;
  description.name = "orders";
  description.lock_duration = seconds(5 + Below(60));
  description.max_delivery_count = static_cast<std::int32_t>(1 + Below(4));
  if (Below(3) == 0) description.default_message_time_to_live = seconds(20 + Below(60));
  description.dead_lettering_on_message_expiration = Below(2) == 0;
  description.requires_duplicate_detection = detects_duplicates_;
  description.enable_priority = order_ == Order::kPriority;
  description.enable_partitioning = order_ == Order::kPartitions;
  description.duplicate_detection_history_time_window = seconds(20 + Below(100));
  if (Below(3) == 0) {
    description.retry_policy =
        RetryPolicy{Below(2) == 0 ? Backoff::kLinear : Backoff::kExponential, seconds(3)};
  }
  return description;
}

void ModelRun::Create() {
  detects_duplicates_ = Below(2) == 0;
  order_ = static_cast<Order>(Below(3));
  const QueueDescription description = AnyDescription();
  ASSERT_TRUE(engine_.CreateQueue(description).ok());
  model_ = std::make_unique<ModelQueue>(description);
}

void ModelRun::Update() {
  const QueueDescription description = AnyDescription();
  ASSERT_TRUE(engine_.UpdateQueue(description).ok());
  model_->Update(description, now());
}

// Nothing of the old queue may be seen in the new one (reliability 50).
void ModelRun::RecreateSometimes() {
  if (Below(3) != 0) return;
  ASSERT_TRUE(engine_.DeleteQueue("orders").ok());
  tokens_.clear();
  Create();
}

void ModelRun::DeleteOldest() {
  const LaneKind lane = AnyLane();
  const auto count = static_cast<std::int64_t>(1 + Below(4));
  const Timestamp before = now() - seconds(Below(60));
  const auto deleted = engine_.DeleteOldest(PathOf(lane), static_cast<std::size_t>(count), before);
  EXPECT_EQ(*deleted, model_->DeleteOldest(lane, count, before));
}

// All of it goes in one turn or in many, but nothing else happens meanwhile.
void ModelRun::Redrive() {
  const auto begun =
      engine_.BeginJob({.verb = JobVerb::kRedrive, .path = "orders/$DeadLetterQueue"});
  ASSERT_TRUE(begun.ok()) << begun.status().ToString();
  const auto ended = engine_.GetJob(begun->id);
  EXPECT_EQ(ended->state, JobState::kCompleted);
  EXPECT_EQ(ended->done, model_->Redrive(now()));
}

void ModelRun::PurgeSometimes() {
  if (Below(2) != 0) return;
  const LaneKind lane = AnyLane();
  const bool with_scheduled = lane == LaneKind::kMain && Below(2) == 0;
  const auto purged = engine_.Purge(PathOf(lane), with_scheduled);
  EXPECT_EQ(*purged, model_->Purge(lane, with_scheduled));
}

void ModelRun::Advance() {
  engine_.clock().Advance(seconds(Below(40)));
  CrashSometimes();
  engine_.Run();
  model_->PassTime(now());
}

// In the midst of what is due: it goes on then. Not with partitions: a crash forgets whose turn it
// is, and when it came nobody sees.
void ModelRun::CrashSometimes() {
  if (order_ == Order::kPartitions || Below(4) != 0) return;
  for (std::uint64_t steps = Below(20); steps > 0; --steps) engine_.Step();
  engine_.Crash();
  model_->Restart();
}

// More is due at once than is done in one go, and a crash comes on the way.
void ModelRun::FloodSometimes() {
  if (order_ == Order::kPartitions || Below(20) != 0) return;
  std::vector<Message> messages(2100);
  for (Message& message : messages) {
    message.body = fmt::format("{}", ++bodies_);
    message.scheduled_enqueue_time = now() + seconds(1 + Below(10));
    model_->Send(message, now());
  }
  ASSERT_TRUE(engine_.Send("orders", std::move(messages)).ok());
  engine_.clock().Advance(seconds(10));
  for (std::uint64_t steps = Below(20); steps > 0; --steps) engine_.Step();
  Restart();
  CheckAccounts();
  EXPECT_EQ(*engine_.Purge("orders"), model_->Purge(LaneKind::kMain, false));
}

void ModelRun::Restart() {
  engine_.Restart();
  model_->Restart();
  model_->PassTime(now());
}

}  // namespace wharf
