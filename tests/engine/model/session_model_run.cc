#include "tests/engine/model/session_model_run.h"

#include <utility>

#include <gtest/gtest.h>

namespace wharf {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

// So small that every test meets the edges.
ShardLimits SmallLimits(SeededRandom& random, std::size_t held_max) {
  ShardLimits limits;
  limits.broker.queue.held_sessions_max = held_max;
  // What nothing is in rests at the end of each turn.
  limits.broker.queue.look_pause = {};
  SessionLimits& sessions = limits.broker.queue.lane.sessions;
  sessions.window.messages_max = 1 + random.Next() % 6;
  sessions.window.bytes_max = 1 + random.Next() % 20000;
  sessions.window.content_ahead = 1 + random.Next() % 4;
  sessions.offers_max = 1 + random.Next() % 6;
  sessions.traces_max = 1 + random.Next() % 6;
  limits.broker.queue.lane.window.messages_max = 1 + random.Next() % 6;
  return limits;
}

}  // namespace

SessionModelRun::SessionModelRun(std::uint64_t seed, bool is_on_disk)
    : random_(seed),
      held_max_(random_.Next() % 4 == 0 ? 2 : 100),
      engine_({.seed = seed,
               .limits = SmallLimits(random_, held_max_),
               .drops_garbage = seed % 2 == 0,
               .is_on_disk = is_on_disk}) {
  Create();
}

void SessionModelRun::Step() {
  // Weights, in the order of what a queue lives on.
  const std::pair<int, void (SessionModelRun::*)()> acts[] = {
      {8, &SessionModelRun::Send},
      {4, &SessionModelRun::AcceptNamed},
      {6, &SessionModelRun::AcceptNext},
      {10, &SessionModelRun::Receive},
      {10, &SessionModelRun::Settle},
      {2, &SessionModelRun::Renew},
      {4, &SessionModelRun::Release},
      {1, &SessionModelRun::ForceRelease},
      {3, &SessionModelRun::SetState},
      {2, &SessionModelRun::GetState},
      {5, &SessionModelRun::Advance},
      {2, &SessionModelRun::Restart},
      {3, &SessionModelRun::ReceiveDeferred},
      {3, &SessionModelRun::Undefer},
      {2, &SessionModelRun::ReceiveOne},
      {2, &SessionModelRun::SettleOne},
      {1, &SessionModelRun::DeleteOldest},
      {1, &SessionModelRun::Redrive},
      {1, &SessionModelRun::ReceiveDeadLetters},
      {1, &SessionModelRun::Purge},
      {1, &SessionModelRun::Update},
      {2, &SessionModelRun::Peek},
      {2, &SessionModelRun::ListSessions},
      {1, &SessionModelRun::ListDeepest},
      {2, &SessionModelRun::CheckAccounts},
      {1, &SessionModelRun::RecreateSometimes},
  };
  int all = 0;
  for (const auto& [weight, act] : acts) all += weight;
  auto chosen = static_cast<int>(Below(static_cast<std::uint64_t>(all)));
  for (const auto& [weight, act] : acts) {
    chosen -= weight;
    if (chosen < 0) return (this->*act)();
  }
}

Duration SessionModelRun::AnyDuration(std::uint64_t seconds_min, std::uint64_t seconds_max) {
  return seconds(seconds_min + Below(seconds_max - seconds_min)) + microseconds(Below(1000000));
}

// A few, so that they meet; one is the beginning of another, and one has a zero in it.
std::string SessionModelRun::AnySession() {
  static const std::string kSessions[] = {"a", "aa", std::string("a\0b", 3), "b", "\xC3\xA9"};
  return kSessions[Below(std::size(kSessions))];
}

QueueDescription SessionModelRun::AnyDescription() {
  QueueDescription description;
  description.name = "orders";
  description.requires_session = true;
  description.enable_partitioning = is_partitioned_;
  description.lock_duration = AnyDuration(5, 60);
  description.max_delivery_count = static_cast<std::int32_t>(1 + Below(4));
  if (Below(3) == 0) description.default_message_time_to_live = AnyDuration(20, 80);
  description.dead_lettering_on_message_expiration = Below(2) == 0;
  description.session_expiry_scope =
      Below(2) == 0 ? SessionExpiryScope::kSession : SessionExpiryScope::kMessage;
  if (Below(3) == 0) {
    description.retry_policy = RetryPolicy{Backoff::kLinear, AnyDuration(1, 5)};
  }
  return description;
}

void SessionModelRun::Create() {
  is_partitioned_ = Below(2) == 0;
  const QueueDescription description = AnyDescription();
  ASSERT_TRUE(engine_.CreateQueue(description).ok());
  model_ = std::make_unique<SessionModel>(description);
}

void SessionModelRun::Update() {
  const QueueDescription description = AnyDescription();
  ASSERT_TRUE(engine_.UpdateQueue(description).ok());
  model_->Update(description);
}

// Nothing of the old queue may be seen in the new one (reliability 50, SST-7).
void SessionModelRun::RecreateSometimes() {
  if (Below(3) != 0) return;
  ASSERT_TRUE(engine_.DeleteQueue("orders").ok());
  Create();
}

// Sometimes with a crash in the midst of what is due: it goes on then. Not while links hold
// sessions, which would end among all that.
void SessionModelRun::AdvanceTo(Timestamp time) {
  engine_.clock().Advance(time - now());
  if (Below(8) == 0 && !model_->IsHeldByLinks()) {
    for (std::uint64_t steps = Below(20); steps > 0; --steps) engine_.Step();
    engine_.Crash();
  }
  engine_.Run();
  model_->PassTime(now());
}

// What is due comes after sessions that ended at the same time, unless their messages must be read
// first: so time stands still just before these ends.
void SessionModelRun::Advance() {
  const Timestamp target = now() + AnyDuration(0, 40);
  while (const auto end = model_->NextEnd(target)) {
    AdvanceTo(*end - microseconds(1));
    AdvanceTo(*end);
  }
  AdvanceTo(target);
}

// Also in the midst of the end of what links held.
void SessionModelRun::Restart() {
  while (Below(3) == 0) {
    engine_.Crash();
    for (std::uint64_t steps = Below(20); steps > 0; --steps) engine_.Step();
  }
  engine_.Restart();
  engine_.Run();
  model_->EndThoseOfLinks(now());
  model_->PassTime(now());
}

// All of it goes in one turn or in many, but nothing else happens meanwhile.
void SessionModelRun::Redrive() {
  const auto begun =
      engine_.BeginJob({.verb = JobVerb::kRedrive, .path = "orders/$DeadLetterQueue"});
  ASSERT_TRUE(begun.ok()) << begun.status().ToString();
  const auto ended = engine_.GetJob(begun->id);
  EXPECT_EQ(ended->state, JobState::kCompleted);
  EXPECT_EQ(ended->done, model_->Redrive(now()));
}

void SessionModelRun::Purge() {
  const bool is_main = Below(2) == 0;
  const bool with_scheduled = is_main && Below(2) == 0;
  const auto purged = engine_.Purge(is_main ? "orders" : "orders/$DeadLetterQueue", with_scheduled);
  const LaneKind lane = is_main ? LaneKind::kMain : LaneKind::kDeadLetter;
  EXPECT_EQ(*purged, model_->Purge(lane, with_scheduled));
}

void SessionModelRun::DeleteOldest() {
  const auto count = static_cast<std::int64_t>(1 + Below(4));
  const Timestamp before = now() - seconds(Below(60));
  const auto deleted = engine_.DeleteOldest("orders", static_cast<std::size_t>(count), before);
  EXPECT_EQ(*deleted, model_->DeleteOldest(count, before));
}

}  // namespace wharf
