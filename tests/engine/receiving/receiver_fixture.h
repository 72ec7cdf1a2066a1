// ReceiverFixture: a broker with a queue "orders", and receivers that write down what they hear.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/engine/receiving/recording_sink.h"
#include "tests/harness/engine_harness.h"

namespace wharf {

// Keeps the changes of each turn apart.
class TurnRecorder final : public ChangeListener {
 public:
  void OnChanges(const Changes& changes) override { turns.push_back(changes); }

  template <typename T>
  static std::size_t CountIn(const Changes& changes) {
    std::size_t count = 0;
    for (const Change& change : changes) count += std::holds_alternative<T>(change) ? 1 : 0;
    return count;
  }
  template <typename T>
  std::size_t Count() const {
    std::size_t count = 0;
    for (const Changes& changes : turns) count += CountIn<T>(changes);
    return count;
  }

  std::vector<Changes> turns;
};

struct TestReceiver {
  HolderId id;
  std::shared_ptr<RecordingSink> sink;

  const std::vector<std::string>& events() const { return sink->events; }
  LockToken token(std::size_t delivery) const { return sink->deliveries.at(delivery).token; }
};

// A message of ten bytes.
inline Message TenBytes() {
  Message message;
  message.body = "0123456789";
  return message;
}

class ReceiverFixture : public ::testing::Test {
 protected:
  explicit ReceiverFixture(const ShardLimits& limits = {})
      : engine_({.limits = limits, .listener = &turns_}) {
    QueueDescription queue;
    queue.name = "orders";
    queue.lock_duration = std::chrono::seconds(30);
    EXPECT_TRUE(engine_.CreateQueue(queue).ok());
  }
  // Whatever the test did, everything is accounted for.
  void TearDown() override {
    if (is_damaged_) return;
    EXPECT_EQ(engine_.FindWrong(), "");
  }

  Broker& broker() { return engine_.broker(); }

  TestReceiver Attach(ReceiveMode mode = ReceiveMode::kPeekLock,
                      const std::string& path = "orders") {
    auto sink = std::make_shared<RecordingSink>();
    const auto attached = engine_.Await<AttachedReceiver>([&](Answer<AttachedReceiver> answer) {
      broker().Attach({path, mode}, sink, std::move(answer));
    });
    EXPECT_TRUE(attached.ok()) << attached.status().ToString();
    return {attached.ok() ? attached->id : HolderId(), sink};
  }
  TestReceiver AttachWith(std::uint64_t messages, std::optional<std::uint64_t> bytes = {}) {
    TestReceiver receiver = Attach();
    Grant(receiver, messages, bytes);
    return receiver;
  }
  void Grant(const TestReceiver& receiver, std::uint64_t messages,
             std::optional<std::uint64_t> bytes = {}) {
    broker().Grant(receiver.id, {messages, bytes});
    engine_.Run();
  }
  void Drain(const TestReceiver& receiver) {
    broker().Drain(receiver.id);
    engine_.Run();
  }
  // In one request.
  void Send(std::size_t count = 1) {
    ASSERT_TRUE(engine_.Send("orders", std::vector<Message>(count, TenBytes())).ok());
  }
  // Runs step by step until all is quiet; by how much `heard` grew at most, as callers heard of one
  // turn.
  std::size_t MostHeardAtOnce(const std::size_t& heard) {
    std::size_t most = 0;
    std::size_t before = heard;
    while (engine_.Step()) {
      most = std::max(most, heard - before);
      before = heard;
    }
    return most;
  }
  // A request whose answer is looked at later.
  template <typename T>
  struct Pending {
    std::optional<Result<T>> result;
    Answer<T> answer() {
      return [this](Result<T> got) { result.emplace(std::move(got)); };
    }
  };

  TurnRecorder turns_;
  EngineHarness engine_;
  // The test changed rows beneath the broker.
  bool is_damaged_ = false;
};

}  // namespace wharf
