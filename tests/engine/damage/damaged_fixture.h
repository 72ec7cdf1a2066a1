// DamagedFixture: two queues over a store of which one block can be made unreadable.
//
// What is sent is written so that a block holds some of its messages and not all. Each step runs
// until the broker is quiet, so a broker that goes round in circles never ends.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/engine/stored_broker.h"
#include "tests/quiet_log.h"

namespace wharf {

class DamagedFixture : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kSent = 600;
  using NumberSet = std::set<std::uint64_t>;

  DamagedFixture() {
    Create({.name = "orders"});
    Create({.name = "bills"});
  }

  EngineHarness& engine() { return broker_.engine(); }

  // Bytes that do not become fewer on disk.
  static std::string Noise(std::uint64_t seed, std::size_t size) {
    SeededRandom random(seed);
    std::string noise(size, '\0');
    for (char& byte : noise) byte = static_cast<char>(random.Next());
    return noise;
  }

  void Create(QueueDescription queue) {
    queue.lock_duration = std::chrono::minutes(5);
    EXPECT_TRUE(engine().CreateQueue(std::move(queue)).ok());
  }

  // Of one size each; their numbers are 1 to `count`.
  void Send(std::uint64_t count = kSent, const std::string& path = "orders", std::size_t size = 300,
            std::optional<std::string> session = std::nullopt) {
    std::vector<Message> messages(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      messages[i].body = Noise(i, size);
      messages[i].session_id = session;
    }
    const std::size_t together = std::min<std::size_t>(500'000 / size, 1000);
    for (std::size_t at = 0; at < count; at += together) {
      const auto end =
          messages.begin() + static_cast<std::ptrdiff_t>(std::min(count, at + together));
      std::vector<Message> some(messages.begin() + static_cast<std::ptrdiff_t>(at), end);
      ASSERT_TRUE(engine().Send(path, std::move(some)).ok());
    }
  }

  // Receives what there is; in order, each once.
  NumberSet ReceiveAll(const std::string& path = "orders", bool completes = true,
                       std::optional<LockToken> session = std::nullopt) {
    NumberSet numbers;
    for (;;) {
      const auto received = engine().Receive(path, 50, ReceiveMode::kPeekLock, session);
      EXPECT_TRUE(received.ok()) << received.status().ToString();
      broker_.Settle();
      if (!received.ok() || received->empty()) return numbers;
      for (const Delivered& each : *received) {
        const std::uint64_t number = each.message->number.value();
        EXPECT_TRUE(numbers.empty() || *numbers.rbegin() < number);
        numbers.insert(number);
        tokens_[number] = each.token;
        if (completes) {
          EXPECT_TRUE(engine().Complete(path, each.token).ok());
        }
      }
    }
  }

  NumberSet Quarantined(const std::string& path = "orders") {
    NumberSet numbers;
    std::uint64_t from = 0;
    for (;;) {
      const auto page = engine().Peek(path, from, 250, PeekFilter::kQuarantined);
      EXPECT_TRUE(page.ok()) << page.status().ToString();
      if (!page.ok()) return numbers;
      for (const PeekedMessage& each : page->messages) {
        EXPECT_EQ(each.standing, Standing::kQuarantined);
        EXPECT_NE(each.unreadable, "");
        numbers.insert(each.message->number.value());
      }
      if (!page->next) return numbers;
      from = page->next->value();
    }
  }

  LaneCounters Counters(const std::string& path = "orders") {
    return engine().GetQueue(path)->main;
  }

  void Remove(const NumberSet& numbers, const std::string& path = "orders") {
    for (const std::uint64_t number : numbers) {
      const Status removed = engine().SettleOne(path, number, {.verb = SettleVerb::kComplete});
      EXPECT_TRUE(removed.ok()) << removed.ToString();
    }
  }

  // From one number to another.
  static NumberSet From(std::uint64_t first, std::uint64_t last) {
    NumberSet numbers;
    for (std::uint64_t number = first; number <= last; ++number) numbers.insert(number);
    return numbers;
  }

  static NumberSet AllBut(const NumberSet& some, std::uint64_t count = kSent) {
    NumberSet others;
    for (std::uint64_t number = 1; number <= count; ++number) {
      if (!some.contains(number)) others.insert(number);
    }
    return others;
  }

  const QuietLog quiet_;
  StoredBroker broker_;
  std::map<std::uint64_t, LockToken> tokens_;
};

}  // namespace wharf
