#include "tests/engine/activity/activity_bench.h"

#include <utility>
#include <vector>

namespace wharf {
namespace {

const std::string kSubscriptionPath = "news/Subscriptions/all";
// Locks end while the broker is away, and not before.
constexpr Duration kLock = std::chrono::hours(24);
constexpr Duration kAway = std::chrono::hours(100);

}  // namespace

std::string NameOf(Place place) {
  switch (place) {
    case Place::kQueue:
      return "a queue";
    case Place::kSessions:
      return "a queue with sessions";
    case Place::kSubscription:
      return "a subscription";
    case Place::kTopicAbove:
      return "a subscription, for its topic";
    case Place::kTopic:
      return "a topic";
    case Place::kDeadLetters:
      return "a dead-letter queue";
  }
  return {};
}

ActivityBench::ActivityBench(Place place, Stock stock) : place_(place) {
  CreateAll();
  if (place_ == Place::kSessions) HoldSession();
  if (stock != Stock::kNothing) SendAll();
  if (stock == Stock::kScheduled && can_send()) Schedule();
}

bool ActivityBench::has_subscription() const {
  return place_ == Place::kSubscription || place_ == Place::kTopicAbove || place_ == Place::kTopic;
}

bool ActivityBench::can_send() const {
  return place_ == Place::kQueue || place_ == Place::kSessions || place_ == Place::kTopic;
}

std::string ActivityBench::dead_letter_path() const {
  return place_ == Place::kDeadLetters ? path_ : path_ + "/$DeadLetterQueue";
}

Message ActivityBench::NewMessage() const {
  Message message;
  message.body = "x";
  if (place_ == Place::kSessions) message.session_id = "a";
  return message;
}

// What is called "spare" is there to be deleted, and "other" for what has nothing to do with the
// entity.
void ActivityBench::CreateAll() {
  CreateEntities();
  EXPECT_TRUE(engine_.CreateQueue({.name = "other"}).ok());
  EXPECT_TRUE(engine_.CreateQueue({.name = "spare"}).ok());
  EXPECT_TRUE(engine_.Create(EntityKind::kTopic, {.name = "spare-topic"}).ok());
  EXPECT_TRUE(engine_.BeginJob({.verb = JobVerb::kDeleteMessages, .path = "other"}).ok());
}

void ActivityBench::CreateEntities() {
  if (!has_subscription()) {
    name_ = "orders";
    path_ = place_ == Place::kDeadLetters ? "orders/$DeadLetterQueue" : "orders";
    QueueDescription queue{.name = name_, .lock_duration = kLock, .auto_delete_on_idle = kIdle};
    queue.requires_session = place_ == Place::kSessions;
    EXPECT_TRUE(engine_.CreateQueue(queue).ok());
    return;
  }
  QueueDescription topic{.name = "news"};
  QueueDescription subscription{.name = kSubscriptionPath, .lock_duration = kLock};
  const bool goes = place_ == Place::kSubscription;
  (goes ? subscription : topic).auto_delete_on_idle = kIdle;
  EXPECT_TRUE(engine_.Create(EntityKind::kTopic, topic).ok());
  EXPECT_TRUE(engine_.Create(EntityKind::kSubscription, subscription).ok());
  EXPECT_TRUE(engine_.Create(EntityKind::kSubscription, {.name = "news/Subscriptions/spare"}).ok());
  kind_ = goes ? EntityKind::kSubscription : EntityKind::kTopic;
  name_ = goes ? kSubscriptionPath : "news";
  path_ = place_ == Place::kTopic ? "news" : kSubscriptionPath;
}

void ActivityBench::HoldSession() { session_ = engine_.AcceptSession(path_, "a")->token; }

void ActivityBench::SendAll() {
  const std::string to = has_subscription() ? "news" : "orders";
  EXPECT_TRUE(engine_.Send(to, std::vector<Message>(4, NewMessage())).ok());
  if (place_ == Place::kDeadLetters) MoveToDeadLetters();
  const std::string from = has_subscription() ? kSubscriptionPath : path_;
  const auto received = engine_.Receive(from, 2, ReceiveMode::kPeekLock, session_);
  locked_ = received->at(0).token;
  deferred_ = received->at(1).message->number.value();
  waiting_ = deferred_ + 1;
  EXPECT_TRUE(engine_.Defer(from, received->at(1).token).ok());
}

void ActivityBench::MoveToDeadLetters() {
  const auto received = engine_.Receive("orders", 4);
  for (const Delivered& delivered : *received) {
    EXPECT_TRUE(engine_.DeadLetter("orders", delivered.token).ok());
  }
}

void ActivityBench::Schedule() {
  Message message = NewMessage();
  message.scheduled_enqueue_time = kScheduledFor;
  const auto sent = engine_.Send(path_, {std::move(message)});
  scheduled_ = sent->at(0)->number.value();
}

void ActivityBench::Restart() {
  EXPECT_TRUE(engine_.Send("other", "x").ok());
  engine_.clock().Advance(kAway);
  engine_.Restart();
}

bool ActivityBench::IsThere() { return engine_.Get(kind_, name_).ok(); }

::testing::AssertionResult ActivityBench::GoesIn(Duration span) {
  constexpr Duration kSecond = std::chrono::seconds(1);
  engine_.Advance(span - kSecond);
  if (!IsThere()) return ::testing::AssertionFailure() << "it went before its time";
  engine_.Advance(kSecond);
  if (IsThere()) return ::testing::AssertionFailure() << "it stayed beyond its time";
  return ::testing::AssertionSuccess();
}

}  // namespace wharf
