// Broker: what tests ask of a broker, as short calls.
//
// Each asks one request in the name of nobody; a receiver is named by a number that is given when
// it asks to be attached. For tests that ask in other names: requests().
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "broker/requests/requests.h"

namespace wharf {

// A receiver that was attached, by the name that its test knows it by.
struct AttachedReceiver {
  HolderId id;
  Duration lock_duration{};
};

class Broker {
 public:
  static constexpr std::size_t kItemsMax = wharf::kItemsMax;
  using Numbers = wharf::Numbers;
  using Cancel = std::function<void()>;
  using Done = Answer<std::monostate>;
  using Received = Answer<std::vector<Delivered>>;

  // What a receiver, or a call that receives, asks for; each in the name of its peer.
  struct Attachment {
    std::string path;
    ReceiveMode mode = ReceiveMode::kPeekLock;
    SessionUse session{};
    std::string peer{};
  };
  struct Once {
    std::string path;
    ReceiveMode mode = ReceiveMode::kPeekLock;
    std::uint64_t messages_max = 1;
    std::uint64_t bytes_max = 0;
    Duration wait{};
    std::optional<LockToken> session{};
    std::string peer{};
  };
  struct ByNumber {
    std::string path;
    ReceiveMode mode = ReceiveMode::kPeekLock;
    std::optional<LockToken> session{};
    std::string peer{};
  };
  struct Look {
    std::string path;
    SequenceNumber from;
    PeekFilter filter = PeekFilter::kAll;
    std::size_t messages_max = 1;
    std::size_t bytes_max = 0;
    std::optional<std::string> session_id{};
    std::string sql_filter{};
  };

  explicit Broker(Requests& requests) : requests_(requests) {}
  Requests& requests() { return requests_; }

  void Send(std::string path, std::vector<Message> messages, bool atomic,
            Answer<SendReceipt> answer) {
    Ask(SendRequest{{std::move(path)}, std::move(messages), atomic}, std::move(answer));
  }
  std::shared_ptr<UploadHandle> BeginUpload(std::string path, Message message,
                                            std::uint64_t body_bytes,
                                            std::function<void()> row_stored,
                                            Answer<SendOutcome> receipt) {
    return requests_.Upload({}, {{std::move(path)}, std::move(message), body_bytes},
                            std::move(row_stored), std::move(receipt));
  }
  void ReadBodyChunk(const BodyRef& body, std::uint32_t chunk, Answer<std::string> answer) {
    Ask(ReadBodyChunkRequest{body, chunk}, std::move(answer));
  }

  Cancel ReceiveOnce(Once once, Received answer) {
    return CancelOf(requests_.Wait({.peer = std::move(once.peer)},
                                   ReceiveRequest{{std::move(once.path)},
                                                  once.mode,
                                                  once.messages_max,
                                                  once.bytes_max,
                                                  once.wait,
                                                  once.session},
                                   std::move(answer)));
  }
  void Attach(Attachment attachment, std::shared_ptr<DeliverySink> sink,
              Answer<AttachedReceiver> answer) {
    const HolderId id(++last_id_);
    receivers_[id] = requests_.Attach(
        {.peer = std::move(attachment.peer)},
        {{std::move(attachment.path)}, attachment.mode, std::move(attachment.session)},
        std::move(sink), [id, answer = std::move(answer)](const Result<Attached>& got) mutable {
          if (!got.ok()) return std::move(answer)(got.status());
          std::move(answer)(AttachedReceiver{id, got->lock_duration});
        });
  }
  void Grant(HolderId id, const Credit& credit) { receivers_.at(id)->Grant(credit); }
  void Revoke(HolderId id, const Credit& credit) { receivers_.at(id)->Revoke(credit); }
  void Drain(HolderId id) { receivers_.at(id)->Drain(); }
  void Stop(HolderId id) { receivers_.at(id)->Stop(); }
  void Detach(HolderId id) { receivers_.at(id)->Detach(); }
  void NoteWritten(HolderId id, std::size_t messages, std::int64_t bytes) {
    receivers_.at(id)->NoteWritten(messages, bytes);
  }
  // Any receiver of the broker may say it.
  void DropBody(const BodyRef& body) { receivers_.begin()->second->DropBody(body); }

  void Settle(std::string path, TokenList tokens, Settlement settlement,
              Answer<SettleReceipt> answer) {
    Ask(SettleRequest{{std::move(path)}, std::move(tokens), std::move(settlement)},
        std::move(answer));
  }
  void RenewLock(std::string path, TokenList tokens, Answer<RenewReceipt> answer) {
    Ask(RenewLockRequest{{std::move(path)}, std::move(tokens)}, std::move(answer));
  }
  void Peek(Look look, Answer<PeekPage> answer) {
    Ask(PeekRequest{{std::move(look.path)},
                    look.from,
                    look.filter,
                    look.messages_max,
                    look.bytes_max,
                    std::move(look.session_id),
                    std::move(look.sql_filter)},
        std::move(answer));
  }
  void ListLocks(std::string path, const LockPlace& after, std::size_t count_max,
                 Answer<LockPage> answer) {
    Ask(ListLocksRequest{{std::move(path)}, after, count_max}, std::move(answer));
  }

  Cancel AcceptSession(std::string path, SessionChoice choice, Answer<AcceptedSession> answer) {
    return CancelOf(requests_.Wait({}, AcceptSessionRequest{{std::move(path)}, std::move(choice)},
                                   std::move(answer)));
  }
  void RenewSession(std::string path, const LockToken& session, Answer<Timestamp> answer) {
    Ask(RenewSessionRequest{{std::move(path)}, session}, std::move(answer));
  }
  void ReleaseSession(std::string path, const LockToken& session, Done answer) {
    Ask(ReleaseSessionRequest{{std::move(path)}, session}, std::move(answer));
  }
  void ForceReleaseSession(std::string name, std::string session_id, Done answer) {
    Ask(ForceReleaseSessionRequest{{std::move(name)}, std::move(session_id)}, std::move(answer));
  }
  void GetSessionState(std::string path, const LockToken& session,
                       Answer<std::optional<std::string>> answer) {
    Ask(GetSessionStateRequest{{std::move(path)}, session}, std::move(answer));
  }
  void SetSessionState(std::string path, const LockToken& session, std::optional<std::string> state,
                       TokenList completed, Done answer) {
    Ask(SetSessionStateRequest{{std::move(path)}, session, std::move(state), std::move(completed)},
        std::move(answer));
  }
  void ListSessions(ListSessionsRequest request, Answer<SessionPage> answer) {
    Ask(std::move(request), std::move(answer));
  }
  void ListDeepestSessions(std::string name, std::size_t count_max,
                           Answer<DeepestSessions> answer) {
    Ask(ListDeepestSessionsRequest{{std::move(name)}, count_max}, std::move(answer));
  }

  void ReceiveDeferred(ByNumber how, Numbers numbers, Received answer) {
    requests_.Ask(
        {.peer = std::move(how.peer)},
        ReceiveDeferredRequest{{std::move(how.path)}, std::move(numbers), how.mode, how.session},
        std::move(answer));
  }
  void Undefer(std::string path, Numbers numbers, Done answer) {
    Ask(UndeferRequest{{std::move(path)}, std::move(numbers)}, std::move(answer));
  }
  void ReceiveOne(ByNumber how, SequenceNumber number, Received answer) {
    requests_.Ask({.peer = std::move(how.peer)},
                  ReceiveOneRequest{{std::move(how.path)}, number, how.mode, how.session},
                  std::move(answer));
  }
  void SettleOne(std::string path, SequenceNumber number, Settlement settlement, Done answer) {
    Ask(SettleOneRequest{{std::move(path)}, number, std::move(settlement)}, std::move(answer));
  }
  void Export(ExportOneRequest request, Answer<QuarantineExport> answer) {
    Ask(std::move(request), std::move(answer));
  }
  void DeleteOldest(std::string path, std::size_t messages_max, Timestamp before,
                    Answer<std::int64_t> answer) {
    Ask(DeleteOldestRequest{{std::move(path)}, messages_max, before}, std::move(answer));
  }
  void CancelScheduled(std::string path, Numbers numbers, Done answer) {
    Ask(CancelScheduledRequest{{std::move(path)}, std::move(numbers)}, std::move(answer));
  }
  void Reschedule(std::string path, Numbers numbers, Timestamp time, Done answer) {
    Ask(RescheduleRequest{{std::move(path)}, std::move(numbers), time}, std::move(answer));
  }
  void ActivateScheduled(std::string path, Numbers numbers, Answer<Numbers> answer) {
    Ask(ActivateScheduledRequest{{std::move(path)}, std::move(numbers)}, std::move(answer));
  }
  void ListScheduled(std::string path, const ScheduledTime& from, std::size_t messages_max,
                     std::size_t bytes_max, Answer<ScheduledPage> answer) {
    Ask(ListScheduledRequest{{std::move(path)}, from, messages_max, bytes_max}, std::move(answer));
  }

  using Told = Answer<TransactionRecord>;
  void RunTransaction(std::optional<TransactionId> id, std::vector<Operation> operations,
                      Told answer) {
    Ask(RunTransactionRequest{std::move(id), std::move(operations)}, std::move(answer));
  }
  void BeginTransaction(std::optional<TransactionId> id, Told answer) {
    Ask(BeginTransactionRequest{std::move(id)}, std::move(answer));
  }
  void AddToTransaction(TransactionId id, Result<Operation> operation, Told answer) {
    Ask(AddToTransactionRequest{std::move(id), std::move(operation)}, std::move(answer));
  }
  void CommitTransaction(TransactionId id, Told answer) {
    Ask(CommitTransactionRequest{std::move(id)}, std::move(answer));
  }
  void RollBackTransaction(TransactionId id, Told answer) {
    Ask(RollBackTransactionRequest{std::move(id)}, std::move(answer));
  }
  void GetTransaction(TransactionId id, Told answer) {
    Ask(GetTransactionRequest{std::move(id)}, std::move(answer));
  }

  void Create(EntityKind kind, QueueDescription description, Answer<QueueSnapshot> answer) {
    Ask(CreateEntityRequest{kind, std::move(description), std::nullopt}, std::move(answer));
  }
  void CreateSubscription(QueueDescription description, std::optional<RuleDescription> first_rule,
                          Answer<QueueSnapshot> answer) {
    Ask(CreateEntityRequest{EntityKind::kSubscription, std::move(description),
                            std::move(first_rule)},
        std::move(answer));
  }
  void Update(EntityKind kind, std::string path, EntityEdit edit, Answer<QueueSnapshot> answer) {
    Ask(UpdateEntityRequest{kind, std::move(path), std::move(edit)}, std::move(answer));
  }
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
  void Get(EntityKind kind, std::string name, Answer<QueueSnapshot> answer) {
    Ask(GetEntityRequest{kind, std::move(name)}, std::move(answer));
  }
  void List(EntityKind kind, std::string after, std::size_t count_max, Answer<QueuePage> answer) {
    Ask(ListEntitiesRequest{kind, std::move(after), count_max}, std::move(answer));
  }
  void Delete(EntityKind kind, std::string name, Done answer) {
    Ask(DeleteEntityRequest{kind, std::move(name)}, std::move(answer));
  }
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
  void DeleteQueue(std::string name, Done answer) {
    Delete(EntityKind::kQueue, std::move(name), std::move(answer));
  }
  void ListSubscriptions(std::string topic, std::string after, std::size_t count_max,
                         Answer<QueuePage> answer) {
    Ask(ListSubscriptionsRequest{std::move(topic), std::move(after), count_max}, std::move(answer));
  }
  void Purge(std::string path, bool with_scheduled, Answer<std::int64_t> answer) {
    Ask(PurgeRequest{{std::move(path)}, with_scheduled}, std::move(answer));
  }

  void Check(std::string path, bool repairs, Answer<RecountReport> answer) {
    Ask(CheckEntityRequest{std::move(path), repairs}, std::move(answer));
  }

  void AddRule(std::string path, RuleDescription rule, Answer<RuleDescription> answer) {
    Ask(AddRuleRequest{std::move(path), std::move(rule)}, std::move(answer));
  }
  void RemoveRule(std::string path, std::string name, Done answer) {
    Ask(RemoveRuleRequest{std::move(path), std::move(name)}, std::move(answer));
  }
  void GetRule(std::string path, std::string name, Answer<RuleDescription> answer) {
    Ask(GetRuleRequest{std::move(path), std::move(name)}, std::move(answer));
  }
  void ListRules(std::string path, std::string after, std::size_t count_max,
                 Answer<RulePage> answer) {
    Ask(ListRulesRequest{std::move(path), std::move(after), count_max}, std::move(answer));
  }
  void EvaluateRules(EvaluateRulesRequest question, Answer<RuleVerdictPage> answer) {
    Ask(std::move(question), std::move(answer));
  }
  void EvaluateRule(RuleDescription rule, Message message, Answer<RuleVerdict> answer) {
    Ask(EvaluateRuleRequest{std::move(rule), std::move(message)}, std::move(answer));
  }

  void BeginJob(JobOrder order, Answer<JobRecord> answer) {
    Ask(BeginJobRequest{std::move(order)}, std::move(answer));
  }
  void GetJob(JobId id, Answer<JobRecord> answer) { Ask(GetJobRequest{id}, std::move(answer)); }
  void ListJobs(JobId after, std::size_t count_max, Answer<std::vector<JobRecord>> answer) {
    Ask(ListJobsRequest{after, count_max}, std::move(answer));
  }
  void CancelJob(JobId id, Answer<JobRecord> answer) {
    Ask(CancelJobRequest{id}, std::move(answer));
  }
  void AwaitDue(Answer<Timestamp> answer) { Ask(AwaitDueRequest(), std::move(answer)); }

 private:
  template <typename Request>
  void Ask(Request request, AnswerTo<Request> answer) {
    requests_.Ask(Caller(), std::move(request), std::move(answer));
  }
  static Cancel CancelOf(std::shared_ptr<WaitHandle> wait) {
    return [wait = std::move(wait)] { wait->Cancel(); };
  }

  Requests& requests_;
  std::uint64_t last_id_ = 0;
  std::map<HolderId, std::shared_ptr<ReceiverHandle>> receivers_;
};

}  // namespace wharf
