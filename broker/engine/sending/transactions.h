// Transactions: several operations that take effect together, in one commit, or not at all.
//
// A transaction comes whole, in one call, or is begun, gets its operations one by one, and is
// committed or rolled back. What an open one is to do is in memory only, so nothing is visible
// before its commit, and a broker that dies has rolled it back; a row says that it was begun, and
// another one how it ended. A commit checks every operation, reads what they need, checks them anew
// and then does all in one turn (transaction_plan.h). Owned by the Shard, used on its
// thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "broker/core/operations/asker.h"
#include "broker/core/operations/transaction_plan.h"
#include "broker/engine/entities/entity_finder.h"
#include "broker/engine/sending/disk_room.h"
#include "broker/engine/sending/fan_out.h"
#include "broker/engine/sending/move_line.h"
#include "broker/engine/turn/registrations.h"
#include "broker/engine/turn/worker_context.h"
#include "storage/base/random.h"

namespace wharf {

struct TransactionLimits {
  // What one transaction holds: messages that it sends (TXN-9, QUO-10), locks that it settles or
  // renews, bytes of all that.
  std::size_t messages_max = 100;
  std::size_t tokens_max = 4500;
  std::size_t bytes_max = 16 * 1024 * 1024;
  // From its begin; then it is rolled back (TXN-10).
  Duration time_max = std::chrono::minutes(2);
  // Open at a time, and the bytes that they hold together with those that are being committed.
  std::size_t open_max = 1000;
  std::size_t held_bytes_max = 64 * 1024 * 1024;
  // How long an outcome is told (TXX-1).
  Duration outcomes_kept = std::chrono::minutes(10);
  // All operations of a transaction must be on one entity (TXN-3, TXN-4).
  bool has_one_entity = false;
};

class Transactions final : public TimedWorker {
 public:
  using Answered = absl::AnyInvocable<void(Turn& turn, Result<TransactionRecord> record) &&>;

  Transactions(const WorkerContext& context, const EntityFinder& finder, const Topics& topics,
               MoveLine& moves, DiskRoom disk, Random& random, const TransactionLimits& limits)
      : context_(context),
        finder_(finder),
        topics_(topics),
        moves_(moves),
        disk_(disk),
        random_(random),
        limits_(limits) {}

  // What was open when the broker ended is rolled back, some of it in each turn.
  void Start(const std::vector<TransactionRecord>& left_open, Turn& turn);

  // One that is not the asker's is unknown to it, here and below; its id cannot be taken.
  //
  // With an id that was committed before, answers with what that did.
  void Run(std::optional<TransactionId> id, std::vector<Operation> operations, const Asker& asker,
           Answered answered, Turn& turn);
  // With an id that is open, answers as its begin did.
  void Begin(std::optional<TransactionId> id, const Asker& asker, Answered answered, Turn& turn);
  void Add(const TransactionId& id, Result<Operation> operation, const Asker& asker,
           Answered answered, Turn& turn);
  void Commit(const TransactionId& id, const Asker& asker, Answered answered, Turn& turn);
  void RollBack(const TransactionId& id, const Asker& asker, Answered answered, Turn& turn);
  void Get(const TransactionId& id, const Asker& asker, Answered answered, Turn& turn);

  // An error if an open transaction is to settle this message (TXN-13).
  Status CheckFree(LaneId lane, const LockToken& token) const;

  // Rolls back what was open for too long; some of it, if it is much.
  void PlanDue(Turn& turn) override;
  Timestamp next_deadline() const override;

  // How many that nobody ends are rolled back in one turn.
  static constexpr std::size_t kEndsPerTurn = 1000;

 private:
  enum class Phase {
    kBeginning,  // Its id is looked up.
    kOpen,       // Operations may be added.
    kEnding,     // What its commit needs is read.
  };
  struct Transaction {
    TransactionId id;
    std::string owner{};
    Phase phase = Phase::kBeginning;
    Timestamp begun_at;
    // Then it is rolled back.
    Timestamp deadline = kNever;
    // There is a row that it was begun.
    bool was_begun = false;
    std::vector<Operation> operations{};
    std::size_t messages = 0;
    std::size_t tokens = 0;
    std::size_t bytes = 0;
    // Messages that it is to settle, and the top-level entity that it must stay on, while it is
    // open.
    std::vector<std::pair<LaneId, LockToken>> pending{};
    std::optional<EntityId> only{};
    // What its sends make of topics, as these were when it was planned or added to.
    FanOut fan_out{};
    // Why it can only be rolled back.
    Status failure{};
    // Callers that wait for its begin, or for its end.
    std::vector<Answered> answers{};
    // What was read for its commit, and the watches of what was sent since.
    TransactionFound found{};
    absl::btree_map<EntityId, std::shared_ptr<const IdWatch>> watches{};
  };

  Transaction& Make(const std::optional<TransactionId>& id, const Asker& asker, Answered answered,
                    Timestamp now);
  Transaction* Find(const TransactionId& id) const;
  // The same of the asker's own, unless only the store knows so far whether the id was used before.
  Transaction* FindLookedUp(const TransactionId& id, const Asker& asker) const;
  TransactionId DrawId();
  TransactionRecord RecordOf(const Transaction& transaction) const;

  Status CheckRoom(const Transaction& transaction, const Operation& operation) const;
  Status CheckRun(const std::vector<Operation>& operations) const;
  Status CheckAdd(Transaction& transaction, Result<Operation>& operation, Turn& turn);
  void Take(Transaction& transaction, Operation operation);
  void Reserve(Transaction& transaction, const Operation& operation);
  EntityId TopLevelOf(const Queue& queue) const;
  // Of the entity that the operation counts as one on.
  Result<EntityId> TopLevelOf(const Operation& operation, const Queue& queue) const;
  // What it makes of topics with one operation more; an error if that is more than a turn may do.
  Result<FanOut> FanOutWith(const Transaction& transaction, const Queue& queue,
                            const Operation& operation, Timestamp now) const;
  // Finds the entity of an operation and adds it to the plan. `owner` may have its locks already.
  Status AddToPlan(Transaction& transaction, Operation& operation, const TransactionId& owner,
                   TransactionPlan& plan);
  Status PlanAll(Transaction& transaction, TransactionPlan& plan);

  void Open(Transaction& transaction, Turn& turn);
  void TryCommit(const TransactionId& id, Turn& turn);
  void Read(const TransactionId& id, TransactionReads reads, Turn& turn);
  void ReadNow(const TransactionId& id, TransactionReads reads, Turn& turn);
  void Fail(Transaction& transaction, const Status& cause, Turn& turn);
  void End(Transaction& transaction, TransactionRecord record, Turn& turn);
  void RollBack(Transaction& transaction, const std::string& reason, Turn& turn);
  // What its client cannot settle any more goes back.
  void ReleaseForgotten(const Transaction& transaction, Turn& turn);
  // Rolls it back, if the last life of the broker left it open.
  void EndLeftOpen(const TransactionId& id, Turn& turn);
  static void AnswerAll(Transaction& transaction, const Result<TransactionRecord>& result,
                        Turn& turn);
  void Forget(Transaction& transaction);

  using Known = Result<std::optional<TransactionRecord>>;
  using Then = absl::AnyInvocable<void(Turn& turn, Known known) &&>;
  void LookUp(const TransactionId& id, Turn& turn, Then then);
  // How a transaction ended, as `tell` puts it; or what is said `otherwise`, if nobody knows.
  void TellEnd(const TransactionId& id, const Asker& asker, Answered answered, Turn& turn,
               Result<TransactionRecord> (*tell)(const TransactionRecord& record),
               Status (*otherwise)(const TransactionId& id));

  const WorkerContext context_;
  const EntityFinder& finder_;
  const Topics& topics_;
  MoveLine& moves_;
  const DiskRoom disk_;
  Random& random_;
  const TransactionLimits& limits_;
  absl::flat_hash_map<TransactionId, std::unique_ptr<Transaction>> transactions_;
  // What was open when the broker ended, and still is in the store.
  absl::btree_map<TransactionId, TransactionRecord> left_open_;
  // Transactions that can be added to, by the time at which they are rolled back.
  absl::btree_set<std::pair<Timestamp, TransactionId>> deadlines_;
  // Which transaction is to settle a message.
  absl::flat_hash_map<std::pair<LaneId, LockToken>, TransactionId> pending_;
  // Begun and not ended.
  std::size_t begun_ = 0;
  std::size_t held_bytes_ = 0;
};

}  // namespace wharf
