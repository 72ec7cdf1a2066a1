// ForwardPowerClients: who send to, receive from and describe a few queues that forward to each
// other, one request after the other, and know of each message whether it must be there.
//
//   a --> b --> c         the dead letters of b and c go to "dead", those of a stay
//
// Where a message is depends on what was disabled when; that it is in one place, and in no other,
// does not. They live longer than the broker. Used by the power test of forwarding.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/harness/broker_life.h"

namespace wharf {

class ForwardPowerClients {
 public:
  explicit ForwardPowerClients(std::uint64_t seed) : random_(seed) {}

  // The broker after a start; the clock does not go back.
  void Meet(BrokerLife& life);
  // False if the broker did not answer, because the power is off.
  bool Step();
  // What must hold after a restart.
  void Check();

 private:
  enum class Fate : std::uint8_t { kIsThere, kMayBeThere, kIsGone };
  using Bodies = std::vector<std::string>;

  std::uint64_t Below(std::uint64_t limit) { return random_.Next() % limit; }
  EngineHarness& engine() { return life_->engine(); }
  Timestamp now() { return engine().clock().Now(); }
  std::string AnyOf(const std::vector<std::string>& names) { return names[Below(names.size())]; }
  static bool IsLost(const Status& status) { return status.outcome() == Outcome::kUnknown; }

  void CreateAll();
  QueueDescription Describe(const std::string& name);

  void Ask();
  void Send();
  void Consume();
  void Settle();
  void Update();
  void Redrive();
  void Advance();
  // What a request that was meant for these messages did with them.
  void NoteTaken(const Bodies& bodies, const Status& status);

  // Looks at everything: each message is in as many places as it must be. False if that failed.
  bool Look();
  bool LookAt(const std::string& path);
  void CheckNothingWaits();
  void CheckAccounts();

  SeededRandom random_;
  BrokerLife* life_ = nullptr;
  Timestamp latest_;
  std::uint64_t bodies_ = 0;
  std::map<std::string, Fate> fates_;
  // What the last look found, by path.
  std::map<std::string, Bodies> seen_;
};

}  // namespace wharf
