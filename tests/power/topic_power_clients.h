// TopicPowerClients: who publish to one topic and receive from its subscriptions, one request after
// the other, and write down what they heard.
//
// While the power is on every answer must be the one that is expected. The one request that the
// power cut off happened as a whole or not at all, in every subscription. They live longer than the
// broker. Used by the power test of topics.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/broker_life.h"

namespace wharf {

class TopicPowerClients {
 public:
  explicit TopicPowerClients(std::uint64_t seed) : random_(seed) {}

  // The broker after a start; the clock does not go back.
  void Meet(BrokerLife& life);
  // False if the broker did not answer, because the power is off.
  bool Step();
  // What must hold after a restart. Everything is known then.
  void Check();

 private:
  // Copies of one message in one subscription, or in its dead-letter queue.
  struct Copies {
    std::size_t count = 0;
  };
  struct Held {
    std::string path;
    std::string body;
    LockToken token;
    Timestamp until;
  };
  // By path and body.
  using Books = std::map<std::string, std::map<std::string, Copies>>;
  struct Sent {
    std::string body;
    bool is_red = false;
    // When it is to be published; nothing: at once.
    std::optional<Timestamp> time{};
  };

  std::uint64_t Below(std::uint64_t limit) { return random_.Next() % limit; }
  EngineHarness& engine() { return life_->engine(); }
  Timestamp now() { return engine().clock().Now(); }
  std::string AnyPath();
  static bool IsLost(const Status& status) { return status.outcome() == Outcome::kUnknown; }

  void Ask();
  void Send();
  void Receive();
  void Settle();
  void Advance();
  // The copies that each subscription gets.
  static Books CopiesOf(const Sent& sent);
  void Enter(const Sent& sent);
  void Leave(const std::string& path, const std::string& body);

  Books Peeked();
  static std::size_t CountIn(const Books& books, const std::string& path, const std::string& body);
  void CheckSend(const Books& there);
  void CheckSettled(const Books& there);
  void CheckTaken(const Books& there);
  void CheckHeld();
  void CheckAccounts();

  SeededRandom random_;
  BrokerLife* life_ = nullptr;
  Timestamp latest_;
  std::uint64_t bodies_ = 0;
  Books books_;
  std::vector<Held> held_;
  // Not published yet.
  std::vector<Sent> scheduled_;
  // A send without an answer: all of it happened, or nothing.
  std::vector<Sent> in_doubt_;
  // A settlement without an answer.
  std::optional<Held> settled_;
  // So many messages of a path may have been taken without a lock, by a receive without an answer.
  std::optional<std::pair<std::string, std::size_t>> taken_;
};

}  // namespace wharf
