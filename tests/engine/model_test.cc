// Random operations from a seed, on the broker and on the model; they must agree about everything.
//
//   model_test                     a few seeds
//   WHARF_MODEL_SEEDS=500 model_test --gtest_filter='*ManySeeds*'
//   WHARF_MODEL_SEED=77 model_test --gtest_filter='*OneSeed*'

#include "tests/engine/model.h"

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

std::string TextOf(const PropertyValue& value) { return std::get<std::string>(value); }

// One random run: the broker, the model of each queue, and the tokens that clients remember.
class Run {
 public:
  explicit Run(std::uint64_t seed)
      : random_(seed), engine_({.seed = seed, .limits = SmallWindows(random_)}) {
    Create();
  }

  void Step() {
    switch (Below(20)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return Send();
      case 4:
      case 5:
      case 6:
      case 7:
        return Receive();
      case 8:
      case 9:
      case 10:
      case 11:
      case 12:
        return Settle();
      case 13:
        return Renew();
      case 14:
      case 15:
        return Advance();
      case 16:
        return Peek();
      case 17:
        return Restart();
      case 18:
        return Update();
      default:
        if (Below(5) == 0) return Recreate();
        return CheckAccounts();
    }
  }

  void CheckAccounts() {
    const Result<QueueSnapshot> snapshot = engine_.GetQueue("orders");
    ASSERT_TRUE(snapshot.ok()) << snapshot.status().ToString();
    const EntityId id = snapshot->record.id;
    EXPECT_EQ(FindWrongCounters(engine_.store(), id, LaneKind::kMain, snapshot->main), "");
    EXPECT_EQ(FindWrongCounters(engine_.store(), id, LaneKind::kDeadLetter, snapshot->dead_letter),
              "");
    EXPECT_EQ(FindStrayRows(engine_.store(), id), "");
    EXPECT_EQ(snapshot->main.messages(), Count(LaneKind::kMain));
    EXPECT_EQ(snapshot->dead_letter.messages(), Count(LaneKind::kDeadLetter));
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
    return description;
  }

  void Create() {
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
  void Recreate() {
    ASSERT_TRUE(engine_.DeleteQueue("orders").ok());
    tokens_.clear();
    Create();
  }

  std::string AnyBody() {
    constexpr std::size_t kSizes[] = {0, 1, 10, 100, 4096, 4097, 300000};
    return fmt::format("{}:{}", ++bodies_, std::string(kSizes[Below(std::size(kSizes))], 'x'));
  }

  void Send() {
    std::vector<Message> messages(1 + Below(5));
    for (Message& message : messages) message.body = AnyBody();
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
      EXPECT_EQ((*receipt)[i]->value(), model_->Send(sent[i].body));
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
      Check((*received)[i], model_->Find(lane, expected[i]));
      if (is_delete) {
        model_->Remove(lane, expected[i]);
      } else {
        model_->Lock(lane, expected[i], (*received)[i].token, (*received)[i].until);
        EXPECT_EQ((*received)[i].until, now() + model_->description().lock_duration);
        tokens_.push_back({lane, (*received)[i].token});
      }
    }
  }

  static void Check(const Delivered& delivered, const ModelMessage& expected) {
    EXPECT_EQ(delivered.message->number.value(), expected.number);
    EXPECT_EQ(delivered.message->message.body, expected.body) << expected.number;
    EXPECT_EQ(delivered.delivery.count, expected.delivery_count) << expected.number;
    EXPECT_EQ(PropertiesOf(*delivered.message, delivered.delivery), expected.properties)
        << expected.number;
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
    settlement.verb = static_cast<SettleVerb>(Below(4));
    const bool can_modify =
        settlement.verb == SettleVerb::kAbandon || settlement.verb == SettleVerb::kDeadLetter;
    if (can_modify && Below(2) == 0) {
      settlement.properties_to_modify = {
          {fmt::format("p{}", Below(3)), fmt::format("v{}", Below(9))}};
    }
    if (settlement.verb == SettleVerb::kDeadLetter && Below(2) == 0) settlement.reason = "because";
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
    model_->ExpireLocks(now());
  }

  void Restart() {
    engine_.Restart();
    model_->ExpireLocks(now());
  }

  void Peek() {
    const LaneKind lane = AnyLane();
    const std::uint64_t from = Below(model_->next_number() + 2);
    const Result<PeekPage> page = engine_.Peek(PathOf(lane), from, 1 + Below(10));
    ASSERT_TRUE(page.ok()) << page.status().ToString();
    auto expected = model_->messages(lane).lower_bound(from);
    for (const PeekedMessage& peeked : page->messages) {
      ASSERT_NE(expected, model_->messages(lane).end());
      Check({peeked.message, peeked.delivery, {}, kNever}, expected->second);
      ++expected;
    }
    const bool is_end = expected == model_->messages(lane).end();
    ASSERT_EQ(page->next.has_value(), !is_end);
    if (!is_end) {
      EXPECT_EQ(page->next->value(), expected->first);
    }
  }

  SeededRandom random_;
  EngineHarness engine_;
  std::unique_ptr<ModelQueue> model_;
  std::vector<Remembered> tokens_;
  std::uint64_t bodies_ = 0;
};

// The rules that every step relies on: SEQ-1, SEQ-2, SEQ-5, SEQ-7, SEQ-8, STA-1, STA-2, LCK-2,
// LCK-3, LCK-6, LCK-11, STL-7, STL-10, CNT-2..4, CNT-7, CNT-12, MAX-2..5, DLQ-7, DLQ-9, PEEK-1..3,
// RTP-1, RTP-2, RTP-11.
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
