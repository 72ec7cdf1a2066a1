// TransactionPlan: the operations of one transaction, checked against each other and then done.
//
// A queue takes its changes at once and cannot give them back, so all-or-nothing has two steps.
// First every operation is checked, against its queue and against the operations before it, and
// nothing is changed. Only then all operations are done, in one turn, and none can fail. In between
// stands what must be read: if something is missing, the plan is thrown away and made anew when it
// is there. A plain value of one turn; used by the engine's Transactions on the shard's thread.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "broker/core/operations/transaction_record.h"
#include "broker/core/queue/queue.h"

namespace wharf {

// What a transaction can do (TXN-1). A message with a time to come is scheduled.
struct SendMessages {
  std::vector<Message> messages;
};
struct SettleMessages {
  std::vector<LockToken> tokens;
  Settlement settlement{};
  // Its client cannot name these locks any more, whatever becomes of the transaction: of one that
  // is rolled back they are released without counting (TXN-12).
  bool is_forgotten = false;
};
struct RenewLocks {
  std::vector<LockToken> tokens;
};
struct SetState {
  LockToken session;
  std::optional<std::string> state{};
  // Messages of the session.
  std::vector<LockToken> completed{};
};
struct Operation {
  // The address of the lane.
  std::string path;
  std::variant<SendMessages, SettleMessages, RenewLocks, SetState> what;
  // Of a send by way of another entity: the one that the transaction is on then (TXN-5).
  std::string via{};
};

// What can be said without its entity.
Status CheckOperation(const Operation& operation);

// What it counts toward the limits of a transaction.
std::size_t MessagesIn(const Operation& operation);
std::size_t TokensIn(const Operation& operation);
std::size_t BytesIn(const Operation& operation);
// Locks that it ends.
const std::vector<LockToken>& SettledBy(const Operation& operation);

// What must be read before a plan can be done...
struct TransactionReads {
  // Messages that move.
  std::map<Shelf, std::vector<SequenceNumber>> contents;
  // Message ids of entities with duplicate detection.
  std::map<EntityId, std::vector<DuplicateId>> ids;
  // The states of sessions, to be counted out.
  std::map<EntityId, std::vector<std::string>> states;

  bool empty() const { return contents.empty() && ids.empty() && states.empty(); }
  std::size_t messages() const;
};
// ...and what was found. A message that is not there is null.
struct TransactionFound {
  std::map<Shelf, Contents> contents;
  std::map<EntityId, KnownIds> ids;
  std::map<std::pair<EntityId, std::string>, std::int64_t> state_bytes;

  void Add(TransactionFound more);
};

class TransactionPlan {
 public:
  // `found` outlives the plan.
  TransactionPlan(TransactionFound& found, Timestamp now) : found_(found), now_(now) {}
  Timestamp now() const { return now_; }

  // Checks the next operation, which outlives the plan.
  Status Add(Queue& queue, LaneKind kind, Operation& operation);
  // What is not in `found`.
  TransactionReads Missing() const;
  // Whether what was read is there; after Missing said that nothing is missing.
  Status CheckFound() const;
  // Does all operations.
  std::vector<OperationResult> Apply(Changes& changes);

 private:
  struct Step {
    Queue& queue;
    LaneKind kind;
    Operation& operation;
  };

  Status Check(Queue& queue, LaneKind kind, const SendMessages& send);
  Status Check(Queue& queue, LaneKind kind, const SettleMessages& settle);
  Status Check(Queue& queue, LaneKind kind, const RenewLocks& renew);
  Status Check(Queue& queue, LaneKind kind, const SetState& set);
  Status TakeToken(LaneId lane, const LockToken& token);
  Status CheckIds(const Step& step) const;
  std::optional<std::int64_t> BytesRead(Queue& queue, const LockToken& session) const;
  template <typename Take>
  void ForEachMoved(Take take) const;
  void AddMissingIds(const Step& step, const SendMessages& send, TransactionReads& reads) const;
  void AddMissingState(const Step& step, const SetState& set, TransactionReads& reads) const;

  OperationResult Do(const Step& step, SendMessages& send, Changes& changes);
  OperationResult Do(const Step& step, const SettleMessages& settle, Changes& changes);
  OperationResult Do(const Step& step, const RenewLocks& renew, Changes& changes);
  OperationResult Do(const Step& step, SetState& set, Changes& changes);

  TransactionFound& found_;
  const Timestamp now_;
  std::vector<Step> steps_;
  // What the operations so far leave behind.
  absl::flat_hash_set<std::pair<LaneId, LockToken>> settled_;
  absl::flat_hash_map<EntityId, std::int64_t> bytes_;
  // To all of them.
  std::int64_t bytes_sent_ = 0;
  // The first message that is sent to each entity.
  absl::flat_hash_map<EntityId, const Message*> first_;
};

}  // namespace wharf
