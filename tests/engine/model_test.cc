// Random operations from a seed, on the broker and on the model; they must agree about everything.
//
//   model_test                     a few seeds
//   WHARF_MODEL_SEEDS=500 model_test --gtest_filter='*ManySeeds*'
//   WHARF_MODEL_SEED=77 model_test --gtest_filter='*OneSeed*'

#include "tests/engine/model.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "broker/schema/tables.h"
#include "tests/harness/engine_harness.h"
#include "tests/harness/message_accounts.h"

namespace wharf {
namespace {

using std::chrono::seconds;

constexpr int kSteps = 400;

std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// A window so small that every test meets its edges.
ShardLimits SmallWindows(SeededRandom& random) {
  ShardLimits limits;
  limits.broker.queue.window.messages_max = 1 + random.Next() % 6;
  limits.broker.queue.window.bytes_max = 1 + random.Next() % 20000;
  limits.broker.queue.window.content_ahead = 1 + random.Next() % 4;
  limits.windows_bytes_max = random.Next() % 2 == 0 ? 1 : 100000;
  return limits;
}

std::string TextOf(const PropertyValue& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  return number != nullptr ? fmt::format("{}", *number) : std::get<std::string>(value);
}

// One random run: the broker, the model of each queue, and the tokens that clients remember.
class Run {
 public:
  explicit Run(std::uint64_t seed)
      : random_(seed), engine_({.seed = seed, .limits = SmallWindows(random_)}) {
    Create();
  }

  void Step() {
    // Weights, in the order of what a queue lives on.
    const std::pair<int, void (Run::*)()> acts[] = {
        {8, &Run::Send},           {8, &Run::Receive},         {10, &Run::Settle},
        {2, &Run::Renew},          {5, &Run::Advance},         {2, &Run::Peek},
        {2, &Run::Restart},        {1, &Run::Update},          {3, &Run::ReceiveDeferred},
        {2, &Run::Undefer},        {2, &Run::ReceiveOne},      {2, &Run::SettleOne},
        {1, &Run::DeleteOldest},   {2, &Run::CancelScheduled}, {2, &Run::Reschedule},
        {1, &Run::Activate},       {1, &Run::ListScheduled},   {1, &Run::Redrive},
        {1, &Run::PurgeSometimes}, {2, &Run::CheckAccounts},   {1, &Run::RecreateSometimes},
    };
    int all = 0;
    for (const auto& [weight, act] : acts) all += weight;
    auto chosen = static_cast<int>(Below(static_cast<std::uint64_t>(all)));
    for (const auto& [weight, act] : acts) {
      chosen -= weight;
      if (chosen < 0) return (this->*act)();
    }
  }

  void CheckAccounts() {
    const Result<QueueSnapshot> snapshot = engine_.GetQueue("orders");
    ASSERT_TRUE(snapshot.ok()) << snapshot.status().ToString();
    const EntityId id = snapshot->record.id;
    EXPECT_EQ(FindWrongCounters(engine_.store(), id, LaneKind::kMain, snapshot->main), "");
    EXPECT_EQ(FindWrongCounters(engine_.store(), id, LaneKind::kDeadLetter, snapshot->dead_letter),
              "");
    EXPECT_EQ(FindStrayRows(engine_.store(), *snapshot), "");
    EXPECT_EQ(snapshot->main.messages(), Count(LaneKind::kMain));
    EXPECT_EQ(snapshot->dead_letter.messages(), Count(LaneKind::kDeadLetter));
    EXPECT_EQ(snapshot->main.scheduled, static_cast<std::int64_t>(model_->scheduled().size()));
  }

 private:
  struct Remembered {
    LaneKind lane;
    LockToken token;
  };

  std::uint64_t Below(std::uint64_t limit) { return random_.Next() % limit; }
  std::int64_t Count(LaneKind kind) const {
    return static_cast<std::int64_t>(model_->messages(kind).size());
  }
  Timestamp now() { return engine_.clock().Now(); }
  LaneKind AnyLane() { return Below(3) == 0 ? LaneKind::kDeadLetter : LaneKind::kMain; }
  static std::string PathOf(LaneKind lane) {
    return lane == LaneKind::kMain ? "orders" : "Orders/$deadletterqueue";
  }

  QueueDescription AnyDescription() {
    QueueDescription description;
    description.name = "orders";
    description.lock_duration = seconds(5 + Below(60));
    description.max_delivery_count = static_cast<std::int32_t>(1 + Below(4));
    if (Below(3) == 0) description.default_message_time_to_live = seconds(20 + Below(60));
    description.dead_lettering_on_message_expiration = Below(2) == 0;
    description.requires_duplicate_detection = detects_duplicates_;
    description.duplicate_detection_history_time_window = seconds(20 + Below(100));
    if (Below(3) == 0) {
      description.retry_policy =
          RetryPolicy{Below(2) == 0 ? Backoff::kLinear : Backoff::kExponential, seconds(3)};
    }
    return description;
  }

  void Create() {
    detects_duplicates_ = Below(2) == 0;
    const QueueDescription description = AnyDescription();
    ASSERT_TRUE(engine_.CreateQueue(description).ok());
    model_ = std::make_unique<ModelQueue>(description);
  }

  void Update() {
    const QueueDescription description = AnyDescription();
    ASSERT_TRUE(engine_.UpdateQueue(description).ok());
    model_->Update(description);
  }

  // Nothing of the old queue may be seen in the new one (reliability 50).
  void RecreateSometimes() {
    if (Below(3) != 0) return;
    ASSERT_TRUE(engine_.DeleteQueue("orders").ok());
    tokens_.clear();
    Create();
  }

  std::string AnyBody() {
    constexpr std::size_t kSizes[] = {0, 1, 10, 100, 4096, 4097, 300000};
    return fmt::format("{}:{}", ++bodies_, std::string(kSizes[Below(std::size(kSizes))], 'x'));
  }

  Message AnyMessage() {
    Message message;
    message.body = AnyBody();
    if (Below(3) == 0) message.time_to_live = seconds(1 + Below(60));
    if (Below(4) == 0) message.scheduled_enqueue_time = AnyTime();
    if (Below(2) == 0) message.message_id = fmt::format("id{}", Below(6));
    return message;
  }

  // Often in the past.
  Timestamp AnyTime() { return now() + seconds(Below(100)) - seconds(20); }

  void Send() {
    std::vector<Message> messages(1 + Below(5));
    for (Message& message : messages) message = AnyMessage();
    const auto sent = messages;
    const bool atomic = Below(2) == 0;
    const Result<SendReceipt> receipt = engine_.Send("ORDERS", std::move(messages), atomic);
    if (!receipt.ok()) {
      ASSERT_TRUE(atomic) << receipt.status().ToString();
      EXPECT_EQ(receipt.status().code(), ErrorCode::kMessageSizeExceeded);
      return;
    }
    for (std::size_t i = 0; i < sent.size(); ++i) {
      ASSERT_TRUE((*receipt)[i].ok());
      const ModelSent expected = model_->Send(sent[i], now());
      EXPECT_EQ((*receipt)[i]->number.value(), expected.number);
      EXPECT_EQ((*receipt)[i]->is_duplicate, expected.is_duplicate);
    }
  }

  void Receive() {
    const LaneKind lane = AnyLane();
    const std::size_t count = 1 + Below(8);
    const bool is_delete = Below(5) == 0;
    const auto received = engine_.Receive(
        PathOf(lane), count, is_delete ? ReceiveMode::kReceiveAndDelete : ReceiveMode::kPeekLock);
    ASSERT_TRUE(received.ok()) << received.status().ToString();
    // Fewer may come at a time, when the rest has to be read first; but never others, and never
    // none.
    const auto expected = model_->Available(lane, count);
    ASSERT_LE(received->size(), expected.size());
    ASSERT_EQ(received->empty(), expected.empty());
    for (std::size_t i = 0; i < received->size(); ++i) {
      TakeOne((*received)[i], lane, expected[i], is_delete);
    }
  }

  // The broker handed out the message `number`.
  void TakeOne(const Delivered& delivered, LaneKind lane, std::uint64_t number, bool is_delete) {
    Check(delivered, *model_->Find(lane, number));
    if (is_delete) return model_->Remove(lane, number);
    model_->Lock(lane, number, delivered.token, delivered.until);
    EXPECT_EQ(delivered.until, now() + model_->description().lock_duration);
    tokens_.push_back({lane, delivered.token});
  }

  static void Check(const Delivered& delivered, const ModelMessage& expected) {
    EXPECT_EQ(delivered.message->number.value(), expected.number);
    EXPECT_EQ(delivered.message->message.body, expected.body) << expected.number;
    EXPECT_EQ(delivered.delivery.count, expected.delivery_count) << expected.number;
    EXPECT_EQ(PropertiesOf(*delivered.message, delivered.delivery), expected.properties)
        << expected.number;
    EXPECT_EQ(delivered.message->facts.expires_at, expected.expires_at) << expected.number;
    EXPECT_EQ(delivered.message->enqueued_at, expected.enqueued_at) << expected.number;
  }

  static std::map<std::string, std::string> PropertiesOf(const StoredMessage& message,
                                                         const Delivery& delivery) {
    std::map<std::string, std::string> properties;
    for (const auto& [name, value] : message.message.application_properties) {
      properties[name] = TextOf(value);
    }
    if (!delivery.changed_properties) return properties;
    for (const auto& [name, value] : *delivery.changed_properties) properties[name] = TextOf(value);
    return properties;
  }

  // A token that some client remembers: of a lock that lives, has ended, or was settled; or of
  // none.
  Remembered AnyToken() {
    if (tokens_.empty() || Below(10) == 0) return {AnyLane(), LockToken(Below(9), 7)};
    return tokens_[Below(tokens_.size())];
  }

  Settlement AnySettlement() {
    Settlement settlement;
    settlement.verb = static_cast<SettleVerb>(Below(5));
    const bool can_modify =
        settlement.verb != SettleVerb::kComplete && settlement.verb != SettleVerb::kRelease;
    if (can_modify && Below(2) == 0) {
      settlement.properties_to_modify = {
          {fmt::format("p{}", Below(3)), fmt::format("v{}", Below(9))}};
    }
    if (settlement.verb == SettleVerb::kDeadLetter && Below(2) == 0) settlement.reason = "because";
    if (settlement.verb == SettleVerb::kAbandon && Below(3) == 0) {
      settlement.delay = seconds(Below(50));
    }
    return settlement;
  }

  void Settle() {
    const Remembered remembered = AnyToken();
    const Settlement settlement = AnySettlement();
    const bool is_locked = model_->Locked(remembered.lane, remembered.token, now()) != nullptr;
    const bool works = model_->Settle(remembered.lane, remembered.token, settlement, now());
    const Status status = engine_.Settle(PathOf(remembered.lane), remembered.token, settlement);
    EXPECT_EQ(status.ok(), works) << status.ToString();
    if (works) return;
    EXPECT_EQ(status.code(),
              is_locked ? ErrorCode::kInvalidOperation : ErrorCode::kMessageLockLost);
  }

  void Renew() {
    const Remembered remembered = AnyToken();
    const bool works = model_->Renew(remembered.lane, remembered.token, now());
    const Result<Timestamp> until = engine_.RenewLock(PathOf(remembered.lane), remembered.token);
    EXPECT_EQ(until.ok(), works);
    if (until.ok()) {
      EXPECT_EQ(*until, now() + model_->description().lock_duration);
    }
  }

  void Advance() {
    engine_.Advance(seconds(Below(40)));
    model_->PassTime(now());
  }

  void Restart() {
    engine_.Restart();
    model_->PassTime(now());
  }

  // Numbers near those that there are, in any state or none.
  std::vector<std::uint64_t> AnyNumbers() {
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t count = 1 + Below(2); count > 0; --count) {
      const std::uint64_t number = Below(model_->next_number() + 1);
      if (numbers.empty() || numbers.front() != number) numbers.push_back(number);
    }
    return numbers;
  }
  // One that satisfies `is_meant`, if there is any; else some number.
  template <typename Map, typename IsMeant>
  std::vector<std::uint64_t> OneOf(const Map& map, IsMeant is_meant) {
    std::vector<std::uint64_t> meant;
    for (const auto& [number, entry] : map) {
      if (is_meant(entry)) meant.push_back(number);
    }
    if (meant.empty() || Below(4) == 0) return AnyNumbers();
    return {meant[Below(meant.size())]};
  }
  std::vector<std::uint64_t> SomeDeferred(LaneKind lane) {
    return OneOf(model_->messages(lane),
                 [](const ModelMessage& message) { return message.is_deferred; });
  }
  std::vector<std::uint64_t> SomeScheduled() {
    return OneOf(model_->scheduled(), [](const ModelScheduled&) { return true; });
  }

  void ReceiveDeferred() {
    const LaneKind lane = AnyLane();
    const auto numbers = SomeDeferred(lane);
    const bool is_delete = Below(4) == 0;
    const auto received = engine_.ReceiveDeferred(
        PathOf(lane), numbers, is_delete ? ReceiveMode::kReceiveAndDelete : ReceiveMode::kPeekLock);
    ASSERT_EQ(received.ok(), model_->TakeDeferred(lane, numbers, now()));
    if (!received.ok()) {
      EXPECT_EQ(received.status().code(), ErrorCode::kMessageNotFound);
      return;
    }
    ASSERT_EQ(received->size(), numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      TakeOne((*received)[i], lane, numbers[i], is_delete);
    }
  }

  void Undefer() {
    const LaneKind lane = AnyLane();
    const auto numbers = SomeDeferred(lane);
    const Status status = engine_.Undefer(PathOf(lane), numbers);
    EXPECT_EQ(status.ok(), model_->Undefer(lane, numbers, now())) << status.ToString();
  }

  void ReceiveOne() {
    const LaneKind lane = AnyLane();
    const auto number = OneOf(model_->messages(lane), [](const ModelMessage&) { return true; });
    const ModelMessage* expected = model_->Find(lane, number.front());
    const auto received = engine_.ReceiveOne(PathOf(lane), number.front());
    ASSERT_EQ(received.ok(), expected != nullptr && expected->is_waiting())
        << received.status().ToString();
    if (received.ok()) TakeOne(*received, lane, number.front(), false);
  }

  void SettleOne() {
    const LaneKind lane = AnyLane();
    const auto number = OneOf(model_->messages(lane), [](const ModelMessage&) { return true; });
    const bool dead_letters = Below(2) == 0;
    const ModelMessage* message = model_->Find(lane, number.front());
    const bool is_free = message != nullptr && !message->token;
    bool works = is_free;
    // One that has expired, though it is deferred, is no longer there (TTL-14).
    if (is_free && model_->TakeDeferred(lane, {}, now()) && message->expires_at <= now() &&
        lane == LaneKind::kMain) {
      works = false;
      EXPECT_FALSE(model_->TakeDeferred(lane, number, now()));
    }
    Settlement settlement{.verb = dead_letters ? SettleVerb::kDeadLetter : SettleVerb::kComplete};
    if (dead_letters) settlement.reason = "by number";
    if (works && dead_letters) works = model_->DeadLetterOne(lane, number.front(), "by number");
    if (works && !dead_letters) model_->Remove(lane, number.front());
    const Status status = engine_.SettleOne(PathOf(lane), number.front(), settlement);
    EXPECT_EQ(status.ok(), works) << status.ToString();
  }

  void DeleteOldest() {
    const LaneKind lane = AnyLane();
    const auto count = static_cast<std::int64_t>(1 + Below(4));
    const Timestamp before = now() - seconds(Below(60));
    const auto deleted =
        engine_.DeleteOldest(PathOf(lane), static_cast<std::size_t>(count), before);
    EXPECT_EQ(*deleted, model_->DeleteOldest(lane, count, before));
  }

  void CancelScheduled() {
    const auto numbers = SomeScheduled();
    const Status status = engine_.CancelScheduled("orders", numbers);
    EXPECT_EQ(status.ok(), model_->CancelScheduled(numbers)) << status.ToString();
  }

  void Reschedule() {
    const auto numbers = SomeScheduled();
    const Timestamp time = AnyTime();
    const Status status = engine_.Reschedule("orders", numbers, time);
    EXPECT_EQ(status.ok(), model_->Reschedule(numbers, time, now())) << status.ToString();
  }

  void Activate() {
    const auto numbers = SomeScheduled();
    const auto activated = engine_.ActivateScheduled("orders", numbers);
    const std::uint64_t first = model_->next_number();
    ASSERT_EQ(activated.ok(), model_->Activate(numbers, now()));
    if (activated.ok()) {
      EXPECT_EQ(activated->front().value(), first);
    }
  }

  void ListScheduled() {
    const auto page = engine_.ListScheduled("orders");
    ASSERT_TRUE(page.ok());
    ASSERT_EQ(page->messages.size(), model_->scheduled().size());
    Timestamp last;
    for (const MessagePtr& message : page->messages) {
      const Timestamp time = *message->message.scheduled_enqueue_time;
      EXPECT_EQ(time, model_->scheduled().at(message->number.value()).time);
      EXPECT_LE(last, time);
      last = time;
    }
  }

  // All of it goes in one turn or in many, but nothing else happens meanwhile.
  void Redrive() {
    const auto begun =
        engine_.BeginJob({.verb = JobVerb::kRedrive, .path = "orders/$DeadLetterQueue"});
    ASSERT_TRUE(begun.ok()) << begun.status().ToString();
    const auto ended = engine_.GetJob(begun->id);
    EXPECT_EQ(ended->state, JobState::kCompleted);
    EXPECT_EQ(ended->done, model_->Redrive(now()));
  }

  void PurgeSometimes() {
    if (Below(2) != 0) return;
    const LaneKind lane = AnyLane();
    const bool with_scheduled = lane == LaneKind::kMain && Below(2) == 0;
    const auto purged = engine_.Purge(PathOf(lane), with_scheduled);
    EXPECT_EQ(*purged, model_->Purge(lane, with_scheduled));
  }

  // Waiting and scheduled messages in one order, as far as the filter shows them.
  std::vector<std::uint64_t> Shown(LaneKind lane, PeekFilter filter, std::uint64_t from) const {
    std::vector<std::uint64_t> shown;
    for (const auto& [number, message] : model_->messages(lane)) {
      const bool is_deferred = message.is_deferred && !message.token;
      const bool is_meant = filter == PeekFilter::kAll ||
                            (filter == PeekFilter::kDeferred && is_deferred) ||
                            (filter == PeekFilter::kActive && !is_deferred) ||
                            (filter == PeekFilter::kDelayed && message.available_at.has_value());
      if (number >= from && is_meant) shown.push_back(number);
    }
    const bool with_scheduled = filter == PeekFilter::kAll || filter == PeekFilter::kScheduled;
    if (lane == LaneKind::kMain && with_scheduled) {
      for (const auto& [number, waiting] : model_->scheduled()) {
        if (number >= from) shown.push_back(number);
      }
    }
    std::sort(shown.begin(), shown.end());
    return shown;
  }

  void Peek() {
    const LaneKind lane = AnyLane();
    const std::uint64_t from = Below(model_->next_number() + 2);
    const auto filter = static_cast<PeekFilter>(Below(5));
    const std::size_t count = 1 + Below(10);
    const Result<PeekPage> page = engine_.Peek(PathOf(lane), from, count, filter);
    ASSERT_TRUE(page.ok()) << page.status().ToString();
    const auto expected = Shown(lane, filter, from);
    ASSERT_EQ(page->messages.size(), std::min(count, expected.size()));
    for (std::size_t i = 0; i < page->messages.size(); ++i) {
      const PeekedMessage& peeked = page->messages[i];
      ASSERT_EQ(peeked.message->number.value(), expected[i]);
      if (peeked.is_scheduled) {
        EXPECT_EQ(peeked.message->message.body, model_->scheduled().at(expected[i]).message.body);
        continue;
      }
      const ModelMessage& message = *model_->Find(lane, expected[i]);
      Check({peeked.message, peeked.delivery, {}, kNever}, message);
      EXPECT_EQ(peeked.available_at, message.available_at.value_or(kNever));
      EXPECT_EQ(peeked.standing == Standing::kDeferred, message.is_deferred && !message.token);
    }
    if (filter == PeekFilter::kAll) {
      EXPECT_EQ(page->next.has_value(), expected.size() > count);
    }
  }

  SeededRandom random_;
  EngineHarness engine_;
  std::unique_ptr<ModelQueue> model_;
  std::vector<Remembered> tokens_;
  std::uint64_t bodies_ = 0;
  bool detects_duplicates_ = false;
};

// The rules that every step relies on: SEQ-1, SEQ-2, SEQ-5, SEQ-7, SEQ-8, STA-1, STA-2, LCK-2,
// LCK-3, LCK-6, LCK-11, STL-7, STL-10, CNT-2..4, CNT-7, CNT-12, MAX-2..5, DLQ-7, DLQ-9, PEEK-1..3,
// RTP-1..3, RTP-11, TTL-1..3, TTL-6..9, TTL-11, TTL-14, TTL-15, SCH-3..7, SCX-1, DEF-1..5, DFX-1,
// STA-4, CNT-6, RTY-1..4, RTY-6, ONE-1, BDL-1, BDL-4, BDL-6, BRW-1, PRG-1, RDR-1, DUP-3..6, DUP-8,
// DUP-12, DUP-13, RCP-1.
void RunSeed(std::uint64_t seed) {
  SCOPED_TRACE(fmt::format("seed {}: WHARF_MODEL_SEED={} model_test --gtest_filter='*OneSeed*'",
                           seed, seed));
  Run run(seed);
  for (int step = 0; step < kSteps && !::testing::Test::HasFailure(); ++step) run.Step();
  if (!::testing::Test::HasFailure()) run.CheckAccounts();
}

TEST(ModelTest, TheBrokerAgreesWithTheModelForManySeeds) {
  const std::uint64_t seeds = FromEnvironment("WHARF_MODEL_SEEDS", 60);
  for (std::uint64_t seed = 1; seed <= seeds && !HasFailure(); ++seed) RunSeed(seed);
}

TEST(ModelTest, TheBrokerAgreesWithTheModelForOneSeed) {
  RunSeed(FromEnvironment("WHARF_MODEL_SEED", 1));
}

}  // namespace
}  // namespace wharf
