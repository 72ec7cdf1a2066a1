// Stage: a broker on which the commands of a scenario are played.
//
// What each command prints is the changes that it made; an answer that tells more than they do
// stands below them, and a command that changed nothing prints its answer alone.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/harness/engine_harness.h"
#include "tests/scenarios/script.h"
#include "tests/scenarios/transcript.h"

namespace wharf {

// What a path without further words is about: a queue, or a subscription.
EntityKind KindOf(const std::string& path);

class Stage {
 public:
  using Lines = std::vector<std::string>;

  Stage();

  // Throws std::runtime_error if there is no such command.
  std::vector<std::string> Play(const Command& command);
  // At the end: EngineHarness::FindWrong.
  std::string FindWrong() { return engine_.FindWrong(); }

 private:
  // Each returns its answer, line by line; none where the changes say it all.
  Lines CreateQueue(const Command& command);
  Lines UpdateQueue(const Command& command);
  Lines DeleteQueue(const Command& command);
  Lines ListQueues(const Command& command);
  Lines Describe(const Command& command);
  Lines Show(const Command& command);
  Lines Send(const Command& command);
  Lines Receive(const Command& command);
  Lines Peek(const Command& command);
  Lines Complete(const Command& command);
  Lines Abandon(const Command& command);
  Lines DeadLetter(const Command& command);
  Lines Release(const Command& command);
  Lines Defer(const Command& command);
  Lines ReceiveDeferred(const Command& command);
  Lines Undefer(const Command& command);
  Lines ReceiveOne(const Command& command);
  Lines CompleteOne(const Command& command);
  Lines DeadLetterOne(const Command& command);
  Lines DeleteMessages(const Command& command);
  Lines Purge(const Command& command);
  Lines CancelScheduled(const Command& command);
  Lines Reschedule(const Command& command);
  Lines ActivateScheduled(const Command& command);
  Lines ListScheduled(const Command& command);
  Lines Redrive(const Command& command);
  Lines DeleteSelected(const Command& command);
  Lines CancelJob(const Command& command);
  Lines Renew(const Command& command);
  Lines AcceptSession(const Command& command);
  Lines RenewSession(const Command& command);
  Lines ReleaseSession(const Command& command);
  Lines ForceReleaseSession(const Command& command);
  Lines SetState(const Command& command);
  Lines GetState(const Command& command);
  Lines ListSessions(const Command& command);
  Lines Advance(const Command& command);
  Lines Restart(const Command& command);
  // In stage_topics.cc.
  Lines CreateTopic(const Command& command);
  Lines UpdateTopic(const Command& command);
  Lines DeleteTopic(const Command& command);
  Lines ShowTopic(const Command& command);
  Lines CreateSubscription(const Command& command);
  Lines UpdateSubscription(const Command& command);
  Lines DeleteSubscription(const Command& command);
  Lines AddRule(const Command& command);
  Lines RemoveRule(const Command& command);
  Lines ListRules(const Command& command);

  // Transactions (stage_transactions.cc). What has `in=ID` belongs to one that is open; what has
  // `run=ID` is kept until run-transaction.
  Lines BeginTransaction(const Command& command);
  Lines AddToTransaction(const Command& command);
  Lines RunTransaction(const Command& command);
  Lines CommitTransaction(const Command& command);
  Lines RollBackTransaction(const Command& command);
  Lines ShowTransaction(const Command& command);
  Operation OperationOf(const Command& command) const;
  std::vector<LockToken> ValidTokensOf(const Command& command) const;

  Lines Settle(const Command& command, Settlement settlement);
  Lines Begin(const Command& command, JobVerb verb);
  Lines ShowDelivered(const Command& command, const std::vector<Delivered>& received);
  TokenList TokensOf(const Command& command) const;
  // The token that an argument names, if it is there.
  std::optional<LockToken> SessionOf(const Command& command) const;

  Transcript transcript_;
  EngineHarness engine_;
  // Kept for run-transaction.
  std::map<std::string, std::vector<Operation>> kept_;
};

}  // namespace wharf
