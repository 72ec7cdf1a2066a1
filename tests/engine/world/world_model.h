// WorldModel: the semantics of several entities that send to each other, small and obvious, to
// compare the broker with.
//
// A queue, a subscription and a topic are each a ModelQueue; a topic's messages leave it at once.
// What the broker does by itself, one message after the other and whenever it comes to it, is a
// *step*: forwarding, what is due, a job. A plain value: whoever does not know whether something
// has happened keeps two of them (PossibleWorlds). Used by WorldRun.
//
//   world_model.cc         entities, requests, steps
//   world_topics.cc        what a topic and its rules make of a message
//   world_forwarding.cc    how messages go on by themselves
//   world_jobs.cc          redrives and deletions
//   world_transactions.cc  operations that are done together or not at all
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "broker/core/operations/job.h"
#include "broker/core/operations/transaction_record.h"
#include "tests/engine/model/model.h"

namespace wharf {

// A lane of an entity.
struct ModelPath {
  std::string entity;
  LaneKind lane = LaneKind::kMain;

  std::string text() const {
    return lane == LaneKind::kMain ? entity : entity + "/$DeadLetterQueue";
  }
  friend auto operator<=>(const ModelPath&, const ModelPath&) = default;
};

struct ModelEntity {
  EntityKind kind = EntityKind::kQueue;
  std::shared_ptr<const ModelQueue> queue{};
  // Of a subscription: which of ModelRules.
  std::set<std::size_t> rules{};

  friend bool operator==(const ModelEntity& a, const ModelEntity& b) {
    return a.kind == b.kind && a.rules == b.rules && (a.queue == b.queue || *a.queue == *b.queue);
  }
};

struct ModelJob {
  JobId id;
  JobOrder order;
  ModelPath lane;
  Timestamp created_at;
  // What changed later may be in somebody else's hands.
  std::uint64_t changed = 0;
  bool is_running = true;
  std::int64_t done = 0;
  friend bool operator==(const ModelJob&, const ModelJob&) = default;
};

// One operation of a transaction: sends, or settles, or else renews a lock.
struct ModelOperation {
  ModelPath path;
  std::vector<Message> sent{};
  LockToken token{};
  std::optional<Settlement> settlement{};
};

struct ModelTransaction {
  TransactionState state = TransactionState::kOpen;
  std::vector<std::shared_ptr<const ModelOperation>> operations{};
  bool has_failed = false;
  // When it was begun; when it ended, if it has.
  Timestamp since{};
  // Committed: what each operation sent.
  std::vector<std::vector<ModelSent>> results{};
  // Its commit was asked for and is not answered; and was begun, so that time does not end it.
  bool is_to_commit = false;
  bool is_committing = false;
  // Time has ended it: in a turn that may come when the clock has gone on again, or be lost.
  bool may_end_later = false;
  friend bool operator==(const ModelTransaction&, const ModelTransaction&) = default;
};

// More ways that something may have gone nobody follows.
inline constexpr std::size_t kWorldsMax = 300;

// What the broker does next by itself, perhaps.
struct ModelStep {
  enum class What { kForward, kDue, kJob };
  What what;
  ModelPath lane{};
  // The message that is forwarded.
  std::uint64_t number = 0;
  ModelDue due{};
  // Its place among the jobs.
  std::size_t job = 0;
};

class WorldModel {
 public:
  using Sent = std::vector<ModelSent>;

  explicit WorldModel(Timestamp now) : now_(now) {}

  Timestamp now() const { return now_; }
  // What is due by then is not done yet.
  void SetTime(Timestamp now);
  // Before the clock goes on: which commits may have begun by then.
  std::vector<WorldModel> WithCommitsBegun() const;
  // When the clock has gone on: what time has ended before may end but now.
  std::vector<WorldModel> WithLateEnds() const;
  // What was due has ended.
  void NoteEnds();
  // Memory is gone.
  void Restart();

  const std::map<std::string, ModelEntity>& entities() const { return entities_; }
  const ModelQueue* Find(const std::string& name) const;
  bool Create(EntityKind kind, const QueueDescription& description);
  bool Update(const QueueDescription& description);
  bool Delete(const std::string& name);
  bool AddRule(const std::string& subscription, std::size_t rule);
  bool RemoveRule(const std::string& subscription, std::size_t rule);

  // Nothing: refused.
  std::optional<Sent> Send(const std::string& name, const std::vector<Message>& messages,
                           bool atomic);
  // Whether someone may receive there, and how many messages there are for them.
  bool CanReceive(const ModelPath& path) const;
  std::size_t CountAvailable(const ModelPath& path) const;
  // One message is handed out, which must be one that may come next; false: it may not.
  bool Deliver(const ModelPath& path, std::uint64_t number, const std::optional<LockToken>& token);
  bool Settle(const ModelPath& path, const LockToken& token, const Settlement& settlement);
  bool Renew(const ModelPath& path, const LockToken& token);
  bool ReceiveDeferred(const ModelPath& path, std::uint64_t number, const LockToken& token);
  bool Undefer(const ModelPath& path, std::uint64_t number);
  // How many it purged; nothing: refused.
  std::optional<std::int64_t> Purge(const ModelPath& path, bool with_scheduled);
  bool CancelScheduled(const std::string& name, std::uint64_t number);
  bool Reschedule(const std::string& name, std::uint64_t number, Timestamp time);
  bool Activate(const std::string& name, std::uint64_t number);

  bool BeginJob(const JobOrder& order, const ModelPath& lane, JobId id);
  const std::vector<ModelJob>& jobs() const { return jobs_; }

  const std::map<TransactionId, ModelTransaction>& transactions() const { return transactions_; }
  bool BeginTransaction(const TransactionId& id);
  bool AddToTransaction(const TransactionId& id, std::shared_ptr<const ModelOperation> operation);
  void AskedToCommit(const TransactionId& id);
  // What each operation sent; nothing: it failed.
  std::optional<std::vector<Sent>> CommitTransaction(const TransactionId& id);
  bool RollBackTransaction(const TransactionId& id);
  std::optional<std::vector<Sent>> RunTransaction(
      const TransactionId& id,
      const std::vector<std::shared_ptr<const ModelOperation>>& operations);

  // What may come next by itself, in any order.
  std::vector<ModelStep> Steps() const;
  // Those that may change one of these entities, and those that meet one of them on the way.
  std::vector<ModelStep> StepsToward(std::set<std::string> names) const;
  // How the world may be after the step; some of it, if that is more than kWorldsMax.
  std::vector<WorldModel> After(const ModelStep& step) const;
  // Does what is due and in nobody else's way.
  void PassTimeAlone();
  // When something is due next, and how much is by `then`.
  Timestamp NextDueTime() const;
  std::size_t CountDue(Timestamp then) const;

  friend bool operator==(const WorldModel&, const WorldModel&) = default;

 private:
  // Null if there is none. Valid until the next Edit of the same name.
  ModelQueue* Edit(const std::string& name);
  bool HasTargets(const QueueDescription& description) const;
  bool CanSend(const std::string& name) const;
  // The entities that the step, and those that follow from it, may change.
  std::set<std::string> ReachOf(const ModelStep& step) const;
  void AddReach(const std::string& name, std::set<std::string>& reach) const;
  // A step on this message may change what others do.
  bool IsEntangled(const std::string& name, const ModelDue& due) const;
  void Do(const ModelPath& lane, const ModelDue& due);

  void Publish(const std::string& topic);
  void Copy(const ModelMessage& sent, const std::string& subscription);

  static const std::optional<std::string>& TargetOf(const ModelQueue& source, LaneKind lane);
  std::optional<std::uint64_t> NextToForward(const ModelPath& lane) const;
  void Forward(const ModelPath& lane, std::uint64_t number);

  std::vector<WorldModel> AfterJob(std::size_t place) const;
  // Whether the job takes it.
  static bool Selects(const ModelJob& job, const ModelMessage& message);
  void HandleForJob(std::size_t place, std::uint64_t number);

  bool IsReserved(const ModelPath& path, const LockToken& token) const;
  bool SettleFree(const ModelPath& path, const LockToken& token, const Settlement& settlement);
  bool DoOperation(const ModelOperation& operation, Sent& sent);
  void RollBack(ModelTransaction& transaction) const;
  // Nothing if there is none, or its outcome is no longer told (TXX-1).
  std::optional<ModelTransaction> Known(const TransactionId& id) const;

  Timestamp now_;
  std::map<std::string, ModelEntity> entities_;
  std::vector<ModelJob> jobs_;
  std::map<TransactionId, ModelTransaction> transactions_;
};

}  // namespace wharf
