// TransactionPowerClients: who move messages from one queue to another by transactions, in one call
// or step by step, a few at once, and write down what they heard of each.
//
// Every message is in exactly one of the queues, what was dead-lettered lies in the dead-letter
// queue, and what is told of a transaction is what happened to its message. They live longer than
// the broker. Used by the power test of transactions, and by the simulation of clusters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/harness/broker_life.h"

namespace wharf {

class TransactionPowerClients {
 public:
  explicit TransactionPowerClients(std::uint64_t seed) : random_(seed) {}

  void Meet(BrokerLife& life);
  // A few transactions at once. False if the broker did not answer.
  bool Step();
  // What must hold after a restart.
  void Check();

 private:
  // What a client heard of one transaction.
  struct Heard {
    std::string body;
    bool dead_letters = false;
    std::optional<TransactionState> end{};
    Timestamp ended_at{};
    // Its begin was acknowledged.
    bool was_begun = false;
    // Its client was told that nothing was done.
    bool was_refused = false;
  };
  // Bodies, by where they lie.
  struct Moved {
    std::set<std::string> bills;
    std::set<std::string> dead;
  };

  EngineHarness& engine() { return life_->engine(); }

  bool Send();
  void Move(const Delivered& delivered);
  // The steps are asked at once; the broker takes them in their order.
  void MoveInSteps(const std::string& id, std::vector<Operation> parts, bool commits);
  Answer<TransactionRecord> HearEnd(const std::string& id);
  std::set<std::string> BodiesIn(const std::string& path);
  void CheckAccounts(const std::string& name);
  void CheckOutcome(const std::string& id, const Heard& heard, const Moved& moved);

  SeededRandom random_;
  BrokerLife* life_ = nullptr;
  std::uint64_t bodies_ = 0;
  std::uint64_t transactions_ = 0;
  std::size_t under_way_ = 0;
  std::set<std::string> acknowledged_;
  // Of this life.
  std::map<std::string, Heard> heard_;
};

}  // namespace wharf
