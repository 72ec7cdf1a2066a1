// SessionModelRun: random operations from a seed on a queue with sessions and on the model of it;
// they must agree about everything.
//
//   session_model_run.cc             the steps, and what concerns the whole queue
//   session_model_run_delivery.cc    sending, accepting, receiving, settling
//   session_model_run_look.cc        peeks, lists and the accounts
//
// No two instants that it chooses are the same, so that it is always clear what comes first. A
// disagreement is a failure of the test that runs it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/engine/model/session_model.h"
#include "tests/harness/engine_harness.h"

namespace wharf {

class SessionModelRun {
 public:
  explicit SessionModelRun(std::uint64_t seed, bool is_on_disk = false);

  void Step();
  // The counters and rows are those of a recount, and those of the model.
  void CheckAccounts();

 private:
  using Numbers = SessionModel::Numbers;

  std::uint64_t Below(std::uint64_t limit) { return random_.Next() % limit; }
  Timestamp now() { return engine_.clock().Now(); }
  Duration AnyDuration(std::uint64_t seconds_min, std::uint64_t seconds_max);
  std::string AnySession();
  // Of a session that is held, was once, or never.
  LockToken AnyHold();
  // Of a message in flight, or that was, or never.
  LockToken AnyToken();
  Settlement AnySettlement();
  // Near those that there are, in any state or none.
  Numbers AnyNumbers();
  // One that satisfies `is_meant`, if there is any; else some numbers.
  template <typename IsMeant>
  Numbers OneOf(IsMeant is_meant);
  QueueDescription AnyDescription();

  void Create();
  void Update();
  void RecreateSometimes();
  void AdvanceTo(Timestamp time);
  void Advance();
  void Restart();
  void Redrive();
  void Purge();
  void DeleteOldest();

  Message AnyMessage();
  void Send();
  Result<AcceptedSession> Accept(const std::optional<std::string>& session);
  void NoteAccepted(const AcceptedSession& accepted);
  void AcceptNamed();
  void AcceptNext();
  void Renew();
  void Release();
  void ForceRelease();
  void Receive();
  void ReceiveDeadLetters();
  void TakeOne(const Delivered& delivered, const std::string& session, bool is_delete);
  void Settle();
  void SetState();
  void GetState();
  void ReceiveDeferred();
  void Undefer();
  void ReceiveOne();
  void SettleOne();

  static void Check(const Delivered& delivered, const SessionMessage& expected);
  void Peek();
  void ListSessions();
  void CheckListed(const SessionInfo& info);
  void ListDeepest();

  SeededRandom random_;
  std::size_t held_max_;
  EngineHarness engine_;
  bool is_partitioned_ = false;
  std::unique_ptr<SessionModel> model_;
  std::vector<LockToken> holds_;
  // Whose sessions links hold, or held.
  std::map<LockToken, HolderId> links_;
  std::vector<LockToken> tokens_;
  std::uint64_t bodies_ = 0;
};

}  // namespace wharf
