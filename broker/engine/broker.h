// Broker: everything that a door can ask, in the domain's words. Doors translate; this decides
// nothing itself.
//
//   broker.cc             sending, receiving, settling
//   broker_by_number.cc   messages that are named by their numbers, scheduled ones among them
//   broker_locks.cc       who holds what
//   broker_sessions.cc    sessions: accepting, keeping and giving them up, their state
//   broker_management.cc  entities, purges, jobs, the clock
//   broker_topics.cc      subscriptions and rules
//   broker_transactions.cc  several operations, all or none
//
// Every call returns at once, on any thread; the answer comes through the callback, on the shard's
// thread or a reader's, after what it tells is durable. A callback must return quickly and is
// called exactly once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/engine/deepest_pass.h"
#include "broker/engine/receiver.h"
#include "broker/engine/session_use.h"
#include "broker/engine/shard.h"
#include "broker/engine/upload.h"
#include "broker/schema/peek_reader.h"
#include "broker/schema/scheduled_reader.h"
#include "broker/schema/session_list_reader.h"
#include "broker/topics/rule_verdict.h"

namespace wharf {

template <typename T>
using Answer = absl::AnyInvocable<void(Result<T>) &&>;

// Tokens as they came; one that is no token carries its error.
using TokenList = std::vector<Result<LockToken>>;

// One result a message: its number, or why it was refused.
using SendReceipt = std::vector<Result<SendOutcome>>;

// One result a token, in their order.
using SettleReceipt = std::vector<Status>;
using RenewReceipt = std::vector<Result<Timestamp>>;

struct Attached {
  HolderId id;
  Duration lock_duration;
};

struct AttachRequest {
  std::string path;
  ReceiveMode mode = ReceiveMode::kPeekLock;
  SessionUse session{};
  // Where its connection comes from, which bounds what it may have locked.
  std::string peer{};
};

// A queue, a topic or a subscription as management shows it.
struct QueueSnapshot {
  EntityRecord record;
  LaneCounters main;
  LaneCounters dead_letter;
  // Of a topic.
  std::size_t subscriptions = 0;
  // As they count toward the quota; of a topic with all its copies (TOP-4).
  std::int64_t bytes = 0;

  // Messages that are about to be forwarded (RTP-4).
  std::int64_t transfer_messages() const {
    return record.description.forward_to ? main.fresh + main.returned : 0;
  }
};
struct QueuePage {
  std::vector<QueueSnapshot> queues;
  bool has_more = false;
};

struct RulePage {
  std::vector<RuleDescription> rules;
  bool has_more = false;
};

// Whether rules of a subscription would take a message.
struct RuleQuestion {
  std::string path;
  // Empty: all, after the one of the name `after`.
  std::string rule;
  std::string after;
  std::size_t count_max = 1;
  Message message;
};
struct RuleVerdictPage {
  std::vector<RuleVerdict> verdicts;
  bool has_more = false;
};

struct ReceiveOnceRequest {
  std::string path;
  ReceiveMode mode = ReceiveMode::kPeekLock;
  std::uint64_t messages_max = 1;
  std::uint64_t bytes_max = 0;
  Duration wait{};
  // Of the session to receive from, on an entity that requires sessions.
  std::optional<LockToken> session{};
  // As of AttachRequest.
  std::string peer{};
};

// How messages that are named by their numbers are received.
struct ReceiveByNumberRequest {
  std::string path;
  ReceiveMode mode = ReceiveMode::kPeekLock;
  // Of the session that they belong to (DEF-7).
  std::optional<LockToken> session{};
  std::string peer{};
};

// A message that is locked, and by whom.
struct LockInfo {
  SequenceNumber number;
  LockToken token;
  // kNever: before the last start.
  Timestamp since;
  // kNever: as long as its session is.
  Timestamp until;
  std::optional<std::string> session_id{};
  std::optional<HolderInfo> holder{};
};
// Behind the lock that ends then, on the message of that number.
struct LockPlace {
  Timestamp until = Timestamp::min();
  SequenceNumber number{};
};
struct LockPage {
  std::vector<LockInfo> locks;
  // Absent: it was the last one.
  std::optional<LockPlace> next;
};

struct PeekRequest {
  std::string path;
  SequenceNumber from;
  PeekFilter filter = PeekFilter::kAll;
  std::size_t messages_max = 1;
  std::size_t bytes_max = 0;
  // Only messages of this session (PEEK-8).
  std::optional<std::string> session_id{};
  // Only messages that this SQL filter takes (BRW-1); empty: all.
  std::string sql_filter{};
};

class Broker {
 public:
  // At most this many messages or tokens in one request.
  static constexpr std::size_t kItemsMax = 4500;
  // Calls that wait for a session of one entity.
  static constexpr std::size_t kAcceptingMax = 5000;

  Broker(Shard& shard, Executor& readers, const Store& store)
      : shard_(shard), readers_(readers), store_(store), deepest_(shard) {}

  void Send(std::string path, std::vector<Message> messages, bool atomic,
            Answer<SendReceipt> answer);

  // Begins to send a message whose body comes in pieces; its header is checked at once.
  std::shared_ptr<Upload> BeginUpload(std::string path, Message message, std::uint64_t body_bytes,
                                      Upload::RowStored row_stored, Upload::Receipt receipt);

  // A chunk of the large body of a message that was delivered without it, on a reader's thread.
  // MessageLockLost if the body is gone.
  void ReadBodyChunk(const BodyRef& body, std::uint32_t chunk, Answer<std::string> answer);
  // A message with a large body was delivered without a lock, and nobody will read the body any
  // more. Must follow each such delivery.
  void DropBody(const BodyRef& body);

  // Waits for the first messages and answers with what is there then. Returns a cancel function:
  // called, the wait ends with no messages, unless they are already on their way. One answer is no
  // way to receive a large body: if the first message has one, the call fails with
  // MessageSizeExceeded and the message stays as it was.
  using Cancel = std::function<void()>;
  Cancel ReceiveOnce(ReceiveOnceRequest request, Answer<std::vector<Delivered>> answer);

  // The verbs of a receiver. All but Attach may be called for one that left. A receiver that
  // accepts sessions is attached at once; the sink hears which it got, or why it gets none
  // (OnDetached).
  void Attach(AttachRequest request, std::shared_ptr<DeliverySink> sink, Answer<Attached> answer);
  void Grant(HolderId id, Credit credit);
  void Revoke(HolderId id, Credit credit);
  void Drain(HolderId id);
  void Stop(HolderId id);
  void Detach(HolderId id);
  // The door has handed this much to its transport: deliveries that were not are bounded.
  void NoteWritten(HolderId id, std::size_t messages, std::int64_t bytes);

  // Each token by itself; one that fails changes nothing for the others.
  void Settle(std::string path, TokenList tokens, Settlement settlement,
              Answer<SettleReceipt> answer);
  void RenewLock(std::string path, TokenList tokens, Answer<RenewReceipt> answer);

  void Peek(PeekRequest request, Answer<PeekPage> answer);

  // Who holds what, behind a place, those that end first before the others.
  void ListLocks(std::string path, LockPlace after, std::size_t count_max, Answer<LockPage> answer);

  // Sessions. A session lock is named by its token, whoever accepted it.
  //
  // Waits for a session as the choice says. Returns a cancel function, as ReceiveOnce does.
  Cancel AcceptSession(std::string path, SessionChoice choice, Answer<AcceptedSession> answer);
  // Until when the lock holds now.
  void RenewSession(std::string path, const LockToken& session, Answer<Timestamp> answer);
  void ReleaseSession(std::string path, const LockToken& session, Answer<std::monostate> answer);
  // Takes it from whoever holds it.
  void ForceReleaseSession(std::string name, std::string session_id, Answer<std::monostate> answer);
  // Nothing: it has no state.
  void GetSessionState(std::string path, const LockToken& session,
                       Answer<std::optional<std::string>> answer);
  // Sets the state, or clears it, and completes messages of the session: all of it or nothing.
  void SetSessionState(std::string path, const LockToken& session, std::optional<std::string> state,
                       const TokenList& completed, Answer<std::monostate> answer);
  // In the order of their ids.
  void ListSessions(SessionPageRequest request, Answer<SessionPage> answer);
  void ListDeepestSessions(std::string name, std::size_t count_max, Answer<DeepestSessions> answer);

  using Numbers = std::vector<SequenceNumber>;
  // All or none (DEF-3, DFX-1).
  void ReceiveDeferred(ReceiveByNumberRequest request, const Numbers& numbers,
                       Answer<std::vector<Delivered>> answer);
  void Undefer(std::string path, const Numbers& numbers, Answer<std::monostate> answer);
  // One waiting message out of order (ONE-1).
  void ReceiveOne(ReceiveByNumberRequest request, SequenceNumber number,
                  Answer<std::vector<Delivered>> answer);
  void SettleOne(std::string path, SequenceNumber number, Settlement settlement,
                 Answer<std::monostate> answer);
  // Deletes the oldest messages that wait and were enqueued before an instant; how many (BDL-1).
  void DeleteOldest(std::string path, std::size_t messages_max, Timestamp before,
                    Answer<std::int64_t> answer);

  // Scheduled messages: all or none (SCH-4, SCX-1).
  void CancelScheduled(std::string path, const Numbers& numbers, Answer<std::monostate> answer);
  void Reschedule(std::string path, const Numbers& numbers, Timestamp time,
                  Answer<std::monostate> answer);
  // Their new numbers.
  void ActivateScheduled(std::string path, const Numbers& numbers, Answer<Numbers> answer);
  // In the order of their times.
  void ListScheduled(std::string path, ScheduledTime from, std::size_t messages_max,
                     std::size_t bytes_max, Answer<ScheduledPage> answer);

  // Transactions: operations on any entities, all of them or none, in one commit (TXN-1, TXN-11).
  // An id is chosen by the caller, or else drawn; how it ended can be asked for a while (TXX-1).
  //
  // In one call. An id that was committed is answered with its outcome, and nothing is done again.
  void RunTransaction(std::optional<TransactionId> id, std::vector<Operation> operations,
                      Answer<TransactionRecord> answer);
  void BeginTransaction(std::optional<TransactionId> id, Answer<TransactionRecord> answer);
  // Checked now, and done when the transaction is committed. One that cannot be done, or that the
  // door could not read, makes the transaction fail (TXN-21).
  void AddToTransaction(TransactionId id, Result<Operation> operation,
                        Answer<TransactionRecord> answer);
  void CommitTransaction(TransactionId id, Answer<TransactionRecord> answer);
  void RollBackTransaction(TransactionId id, Answer<TransactionRecord> answer);
  // TransactionUnknown: never begun, or forgotten.
  void GetTransaction(TransactionId id, Answer<TransactionRecord> answer);

  // Queues and topics.
  void Create(EntityKind kind, QueueDescription description, Answer<QueueSnapshot> answer);
  // Changes an entity as it is when its turn comes.
  void Update(EntityKind kind, std::string path, EntityEdit edit, Answer<QueueSnapshot> answer);
  // Replaces the description of the entity of that name.
  void Update(EntityKind kind, QueueDescription description, Answer<QueueSnapshot> answer) {
    std::string path = description.name;
    Update(
        kind, std::move(path),
        [description = std::move(description)](const EntityRecord&) mutable {
          return Result<QueueDescription>(std::move(description));
        },
        std::move(answer));
  }
  void Get(EntityKind kind, std::string name, Answer<QueueSnapshot> answer);
  void List(EntityKind kind, std::string after, std::size_t count_max, Answer<QueuePage> answer);
  void Delete(EntityKind kind, std::string name, Answer<std::monostate> answer);
  void CreateQueue(QueueDescription description, Answer<QueueSnapshot> answer) {
    Create(EntityKind::kQueue, std::move(description), std::move(answer));
  }
  void UpdateQueue(QueueDescription description, Answer<QueueSnapshot> answer) {
    Update(EntityKind::kQueue, std::move(description), std::move(answer));
  }
  void GetQueue(std::string name, Answer<QueueSnapshot> answer) {
    Get(EntityKind::kQueue, std::move(name), std::move(answer));
  }
  void ListQueues(std::string after, std::size_t count_max, Answer<QueuePage> answer) {
    List(EntityKind::kQueue, std::move(after), count_max, std::move(answer));
  }
  void DeleteQueue(std::string name, Answer<std::monostate> answer) {
    Delete(EntityKind::kQueue, std::move(name), std::move(answer));
  }

  // Subscriptions: the description's name is "topic/Subscriptions/name", and Update, Get and Delete
  // take that path, too. It begins with the first rule, or with one that lets everything through
  // (RUL-1).
  void CreateSubscription(QueueDescription description, std::optional<RuleDescription> first_rule,
                          Answer<QueueSnapshot> answer);
  // In the order of their names, after the one of the name `after`.
  void ListSubscriptions(std::string topic, std::string after, std::size_t count_max,
                         Answer<QueuePage> answer);
  // Rules of the subscription at a path.
  void AddRule(std::string path, RuleDescription rule, Answer<RuleDescription> answer);
  void RemoveRule(std::string path, std::string name, Answer<std::monostate> answer);
  void GetRule(std::string path, std::string name, Answer<RuleDescription> answer);
  void ListRules(std::string path, std::string after, std::size_t count_max,
                 Answer<RulePage> answer);
  // What rules say of a message that is not sent: those of a subscription, or one that need not
  // exist.
  void EvaluateRules(RuleQuestion question, Answer<RuleVerdictPage> answer);
  void EvaluateRule(RuleDescription rule, Message message, Answer<RuleVerdict> answer);

  // Drops everything in a lane at one instant; how many messages that were (PRG-1).
  void Purge(std::string path, bool with_scheduled, Answer<std::int64_t> answer);

  void BeginJob(JobOrder order, Answer<JobRecord> answer);
  void GetJob(JobId id, Answer<JobRecord> answer);
  // In the order of their ids, after `after`.
  void ListJobs(JobId after, std::size_t count_max, Answer<std::vector<JobRecord>> answer);
  void CancelJob(JobId id, Answer<JobRecord> answer);

  // Answers when everything that is due by now is planned and committed, with a time that is
  // committed, too.
  void AwaitDue(Answer<Timestamp> answer);

 private:
  Status Admit(const Numbers& numbers);
  LockInfo InfoOf(const LockToken& token, const Lock& lock, std::size_t left);
  // Hands out what `receive` does, if the connection may lock so many more.
  template <typename Receive>
  Result<std::vector<Delivered>> ReceiveAs(const ReceiveByNumberRequest& request,
                                           const Result<Shard::Target>& target, std::size_t count,
                                           Receive receive);
  struct ByNumber;
  void PlanByNumber(std::shared_ptr<ByNumber> request, Turn& turn);
  void AskByNumber(std::string path, Numbers numbers, bool with_bodies,
                   absl::AnyInvocable<void(Result<Shard::Target>, FoundMessages, Turn&)> then);
  struct ByScheduled;
  void PlanByScheduled(std::shared_ptr<ByScheduled> request, Turn& turn);
  void AskByScheduled(std::string path, Numbers numbers,
                      absl::AnyInvocable<void(Result<Queue*>, Contents, Turn&)> then);
  struct Deletion;
  void PlanDeletion(std::shared_ptr<Deletion> deletion, Turn& turn);
  void DeletePage(std::shared_ptr<Deletion> deletion, const Shelf& shelf, Result<ScanPage> page,
                  const PageWatch& watch, Turn& turn);
  static void EndDeletion(Deletion deletion, const Status& status, Turn& turn);

  using AskTransactions = absl::AnyInvocable<void(Transactions& transactions,
                                                  Transactions::Answered answered, Turn& turn) &&>;
  void WithTransaction(const std::optional<TransactionId>& id, std::size_t weight,
                       Answer<TransactionRecord> answer, AskTransactions ask);

  struct SettleRequest;
  void PlanSettle(SettleRequest request, Turn& turn);
  void ReadThenSettle(SettleRequest request, Turn& turn);
  static void RefuseSettle(SettleRequest request, const Status& reason, Turn& turn);
  // The message that must be read before this token can be settled, if any.
  static std::optional<SequenceNumber> MissingContent(const SettleRequest& request,
                                                      const Queue& queue, LaneKind kind,
                                                      const LockToken& token, const Turn& turn);

  void PlanSend(const Shard::Target& target, std::vector<Message> messages, bool atomic,
                Answer<SendReceipt> answer, Turn& turn);
  struct SendRequest;
  Status CheckCopies(const Queue& queue, std::size_t messages) const;
  void PlanSlice(SendRequest request, Turn& turn);
  // How many of its messages the turn has room for, at least one.
  std::size_t SliceOf(const SendRequest& request, const Queue& queue, const Turn& turn) const;
  void RefuseRest(SendRequest request, const Status& reason, Turn& turn);
  void TouchReceiver(HolderId id);
  void NoteUse(HolderId id, Timestamp now);
  QueueSnapshot SnapshotOf(const Queue& queue) const;
  Result<QueueSnapshot> SnapshotOf(const Result<Queue*>& queue) const;
  QueuePage PageOf(const std::vector<const Queue*>& queues, std::size_t count_max) const;

  static Status CheckWait(Duration wait);
  Result<Queue*> FindWithSessions(const std::string& name);
  void EndSession(LaneId lane, Session& session, const Status& reason,
                  Answer<std::monostate> answer, Turn& turn);
  struct StateChange;
  void ReadThenChangeState(const std::string& session_id, StateChange change,
                           Answer<std::monostate> answer, Turn& turn);
  void PlanStateChange(StateChange change, Answer<std::monostate> answer, Turn& turn);
  template <typename T, typename Then>
  void WithSession(std::string path, const LockToken& token, Answer<T> answer, Then then,
                   std::size_t weight = 1);

  Shard& shard_;
  Executor& readers_;
  const Store& store_;
  DeepestPass deepest_;
};

}  // namespace wharf
