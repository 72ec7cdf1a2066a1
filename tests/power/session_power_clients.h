// SessionPowerClients: who send to, accept, receive from and give back the sessions of one queue,
// one request after the other, and write down what they heard.
//
// While the power is on nothing is in doubt, so every answer must be the one that is expected. The
// one request that the power cut off may have happened or not; a check after the restart finds out.
// They live longer than the broker. Used by the power test of sessions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/harness/broker_life.h"

namespace wharf {

class SessionPowerClients {
 public:
  explicit SessionPowerClients(std::uint64_t seed) : random_(seed) {}

  // The broker after a start; the clock does not go back.
  void Meet(BrokerLife& life);
  // False if the broker did not answer, because the power is off.
  bool Step();
  // What must hold after a restart. Everything is known and given back then.
  void Check();

 private:
  struct Item {
    std::string session;
    // 0: unknown, its receipt was lost.
    std::uint64_t number = 0;
    // Failed deliveries.
    std::uint32_t count_min = 0;
    std::uint32_t count_max = 0;
    std::optional<LockToken> token{};
    // What was asked last, and not answered.
    bool may_be_gone = false;
    bool is_in_doubt = false;
  };
  struct Hold {
    LockToken token;
    Timestamp until;
    bool may_be_renewed = false;
    bool may_be_released = false;
    // By a link: nobody has it when the broker starts again.
    bool is_by_link = false;
  };
  using State = std::optional<std::string>;

  std::uint64_t Below(std::uint64_t limit) { return random_.Next() % limit; }
  EngineHarness& engine() { return life_->engine(); }
  Timestamp now() { return engine().clock().Now(); }
  std::string AnySession() { return std::string(1, static_cast<char>('a' + Below(3))); }
  // One that is held; empty if there is none.
  std::string AnyHeld();
  // The body of one in flight in the session; empty if there is none.
  std::string AnyInFlight(const std::string& session);
  // Bodies of what waits in the session, lowest number first.
  std::vector<std::string> Waiting(const std::string& session) const;
  std::string Next() const;
  static bool IsLost(const Status& status) { return status.outcome() == Outcome::kUnknown; }

  void LeaveLinks();
  void Ask();
  void Send();
  void AcceptNamed();
  void AcceptNext();
  void AcceptByLink();
  void NoteAccepted(const Result<AcceptedSession>& accepted, const std::string& expected);
  void Receive();
  void Settle();
  void SetState();
  void GetState();
  void Renew();
  void Release();
  void Advance();
  // Its messages in flight come back, and count or not.
  void NoteEnded(const std::string& session, bool counts);
  void NoteMayHaveFailed(const std::string& session);

  void CheckLeft();
  void CheckSession(const std::string& session);
  void CheckHeld(const std::string& session);
  void CheckState(const std::string& session, const LockToken& token);
  void CheckMessages(const std::string& session, const LockToken& token);
  void CheckAccounts();

  SeededRandom random_;
  BrokerLife* life_ = nullptr;
  Timestamp latest_;
  std::uint64_t bodies_ = 0;
  std::map<std::string, Item> items_;
  std::map<std::string, Hold> held_;
  // What links held when the power failed.
  std::set<std::string> left_;
  // As each may be; more than one after an answer was lost.
  std::map<std::string, std::vector<State>> states_;
};

}  // namespace wharf
