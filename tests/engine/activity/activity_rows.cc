#include "tests/engine/activity/activity_rows.h"

#include <memory>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "tests/engine/receiving/recording_sink.h"

namespace wharf {
namespace {

using Bench = ActivityBench;
using Rows = std::vector<ActivityRow>;

constexpr auto kPeekLock = ReceiveMode::kPeekLock;
constexpr std::uint64_t kBytes = 1000000;
const TransactionId kTransaction = "tx";

// --- calls that take more than a line

template <typename T, typename Request>
Status Ask(Bench& at, Request request) {
  return at.engine().Await<T>([&](Answer<T> answer) { request(std::move(answer)); }).status();
}

template <typename Request>
Status Ask(Bench& at, Request request) {
  return Ask<typename Request::Response>(at, [&](AnswerTo<Request> answer) {
    at.broker().requests().Ask({}, std::move(request), std::move(answer));
  });
}

Status SendByStream(Bench& at) {
  return Ask<SendOutcome>(at, [&at](Answer<SendOutcome> receipt) {
    Message header = at.NewMessage();
    header.body.clear();
    at.broker()
        .BeginUpload(
            at.path(), std::move(header), 4, [] {}, std::move(receipt))
        ->Write("body");
  });
}

SessionUse SessionOf(Bench& at) { return at.session() ? SessionUse(*at.session()) : SessionUse(); }

Result<HolderId> OpenStream(Bench& at, SessionUse session) {
  const auto attached = at.engine().Await<AttachedReceiver>([&](Answer<AttachedReceiver> answer) {
    at.broker().Attach({at.path(), kPeekLock, std::move(session)},
                       std::make_shared<RecordingSink>(), std::move(answer));
  });
  if (!attached.ok()) return attached.status();
  return attached->id;
}

Status OpenAndCloseStream(Bench& at) {
  const Result<HolderId> stream = OpenStream(at, SessionOf(at));
  if (stream.ok()) at.broker().Detach(*stream);
  at.engine().Run();
  return stream.status();
}

Status Update(Bench& at, EntityKind kind) {
  return Ask<QueueSnapshot>(at, [&](Answer<QueueSnapshot> answer) {
    const auto as_it_is = [](const EntityRecord& current) {
      return Result<QueueDescription>(current.description);
    };
    at.broker().Update(kind, at.path(), as_it_is, std::move(answer));
  });
}

Status List(Bench& at, EntityKind kind) {
  return Ask<QueuePage>(
      at, [&](Answer<QueuePage> answer) { at.broker().List(kind, "", 10, std::move(answer)); });
}

// What fits the place.
Operation OperationAt(Bench& at) {
  if (at.place() == Place::kTopic) return {at.path(), SendMessages{{at.NewMessage()}}};
  return {at.path(), SettleMessages{{at.locked()}}};
}

void Begin(Bench& at) { EXPECT_TRUE(at.engine().BeginTransaction(kTransaction).ok()); }

Status Add(Bench& at) {
  return at.engine().AddToTransaction(kTransaction, OperationAt(at)).status();
}

Status BeginJob(Bench& at, const JobOrder& order) { return at.engine().BeginJob(order).status(); }

// --- the table
//
//  at  a queue
//  .   a queue with sessions
//  .   . a subscription
//  .   . . a subscription, for its topic
//  .   . . . a topic
//  .   . . . . a dead-letter queue

Rows SendingAndReceiving() {
  return {
      {"Messaging.Send", "", "u u ! ! u !",
       [](Bench& at) { return at.engine().Send(at.path(), {at.NewMessage()}).status(); }},
      {"Messaging.Send", "scheduled", "s s ! ! s !",
       [](Bench& at) {
         Message message = at.NewMessage();
         message.scheduled_enqueue_time = Bench::kScheduledFor;
         return at.engine().Send(at.path(), {std::move(message)}).status();
       }},
      // ADI-5: what arrives from its topic is no use of a subscription.
      {"Messaging.Send", "to the entity above", "u u - u u u",
       [](Bench& at) { return at.engine().Send(at.top(), {at.NewMessage()}).status(); }},
      {"Messaging.SendStream", "", "u u ! ! u !", SendByStream},
      {"Messaging.Receive", "", "u u u u ! u",
       [](Bench& at) {
         return at.engine().Receive(at.path(), 1, kPeekLock, at.session()).status();
       }},
      // Whoever asks again and again uses the entity, though nothing was there each time.
      {"Messaging.Receive", "nothing is there", "u u u u ! u",
       [](Bench& at) {
         return at.engine().Receive(at.path(), 1, kPeekLock, at.session()).status();
       },
       nullptr, Stock::kNothing},
      {"Messaging.ReceiveStream", "", "u u u u ! u", OpenAndCloseStream},
      {"Messaging.Settle", "", "u u u u ! u",
       [](Bench& at) { return at.engine().Complete(at.path(), at.locked()); }},
      {"Messaging.RenewLock", "", "u ! u u ! u",
       [](Bench& at) { return at.engine().RenewLock(at.path(), at.locked()).status(); }},
      {"Messaging.Peek", "", "u u u u u u",
       [](Bench& at) { return at.engine().Peek(at.path()).status(); }},
      // A part of a peek. A topic has nothing that waits.
      {"Messaging.PeekBody", "", "u u u u v u",
       [](Bench& at) {
         return Ask(at, PeekBodyRequest{{at.path()}, SequenceNumber(at.waiting()), 0, kBytes});
       }},
      // An operator looks for something. It is about entities, and no part of one.
      {"Messaging.TraceMessage", "", "- - - - - !",
       [](Bench& at) {
         return Ask(at, TraceRequest{{at.path()}, SequenceNumber(at.waiting()), {}});
       }},
      {"Messaging.TraceMessage", "everywhere", "- - - - - -",
       [](Bench& at) {
         return Ask(at, TraceRequest{{}, std::string("m-1"), {}});
       }},
  };
}

Rows OfNumbers() {
  return {
      {"Messaging.ReceiveDeferred", "", "u u u u ! u",
       [](Bench& at) {
         return at.engine()
             .ReceiveDeferred(at.path(), {at.deferred()}, kPeekLock, at.session())
             .status();
       }},
      // Not named by ADI-3: it changes what receivers get.
      {"Messaging.UndeferMessages", "", "u u u u ! u",
       [](Bench& at) { return at.engine().Undefer(at.path(), {at.deferred()}); }},
      {"Messaging.ReceiveBySequenceNumber", "", "u u u u ! u",
       [](Bench& at) {
         return at.engine().ReceiveOne(at.path(), at.waiting(), kPeekLock, at.session()).status();
       }},
      {"Messaging.SettleBySequenceNumber", "", "u u u u ! u",
       [](Bench& at) {
         return at.engine().SettleOne(at.path(), at.waiting(), {.verb = SettleVerb::kComplete});
       }},
      // Nothing is in quarantine.
      {"Messaging.ExportBySequenceNumber", "", "! ! ! ! ! !",
       [](Bench& at) { return at.engine().Export(at.path(), at.waiting()).status(); }},
      {"Messaging.DeleteMessages", "", "u u u u ! u",
       [](Bench& at) { return at.engine().DeleteOldest(at.path(), 10).status(); }},
      {"Messaging.CancelScheduledMessages", "", "u u ! ! u !",
       [](Bench& at) { return at.engine().CancelScheduled(at.path(), {at.scheduled()}); }, nullptr,
       Stock::kScheduled},
      {"Messaging.RescheduleMessages", "", "s s ! ! s !",
       [](Bench& at) {
         return at.engine().Reschedule(at.path(), {at.scheduled()},
                                       Bench::kScheduledFor + std::chrono::hours(1));
       },
       nullptr, Stock::kScheduled},
      {"Messaging.ActivateScheduledMessages", "", "u u ! ! u !",
       [](Bench& at) {
         return at.engine().ActivateScheduled(at.path(), {at.scheduled()}).status();
       },
       nullptr, Stock::kScheduled},
      // It shows messages, as a peek does.
      {"Messaging.ListScheduledMessages", "", "u u u u u !",
       [](Bench& at) { return at.engine().ListScheduled(at.path()).status(); }},
  };
}

Rows OfSessions() {
  return {
      {"Sessions.AcceptSession", "a named one", "! u ! ! ! !",
       [](Bench& at) { return at.engine().AcceptSession(at.path(), "b").status(); }},
      // ADI-11: asking for a session is a use as asking for a message is.
      {"Sessions.AcceptSession", "the next one, and there is none", "! v ! ! ! !",
       [](Bench& at) { return at.engine().AcceptSession(at.path()).status(); }},
      {"Sessions.AcceptSession", "one that someone else holds", "! v ! ! ! !",
       [](Bench& at) { return at.engine().AcceptSession(at.path(), "a").status(); }},
      {"Sessions.RenewSessionLock", "", "! u ! ! ! !",
       [](Bench& at) {
         return at.engine().RenewSession(at.path(), at.session_or_none()).status();
       }},
      {"Sessions.ReleaseSession", "", "! u ! ! ! !",
       [](Bench& at) { return at.engine().ReleaseSession(at.path(), at.session_or_none()); }},
      {"Sessions.GetSessionState", "", "! u ! ! ! !",
       [](Bench& at) {
         return at.engine().GetSessionState(at.path(), at.session_or_none()).status();
       }},
      {"Sessions.SetSessionState", "", "! u ! ! ! !",
       [](Bench& at) {
         return at.engine().SetSessionState(at.path(), at.session_or_none(), "half-way");
       }},
      // ADI-12: what an operator reads is no use; that he takes a session away is.
      {"Sessions.ListSessions", "", "! - ! ! ! !",
       [](Bench& at) { return at.engine().ListSessions({.entity = {at.path()}}).status(); }},
      {"Sessions.ListDeepestSessions", "", "! - ! ! ! !",
       [](Bench& at) {
         return Ask<DeepestSessions>(at, [&at](Answer<DeepestSessions> answer) {
           at.broker().ListDeepestSessions(at.path(), 10, std::move(answer));
         });
       }},
      {"Sessions.ForceReleaseSession", "", "! u ! ! ! !",
       [](Bench& at) { return at.engine().ForceReleaseSession(at.path(), "a"); }},
  };
}

Rows OfTransactions() {
  return {
      {"Transactions.RunTransaction", "", "u u u u u u",
       [](Bench& at) {
         return at.engine().RunTransaction(std::nullopt, {OperationAt(at)}).status();
       }},
      // A transaction by itself is of no entity.
      {"Transactions.BeginTransaction", "", "- - - - - -",
       [](Bench& at) { return at.engine().BeginTransaction().status(); }},
      // Who sends or settles in a transaction does so then, whatever becomes of it.
      {"Messaging.Send", "or Settle, in a transaction", "u u u u u u", Add, Begin},
      {"Transactions.CommitTransaction", "", "u u u u u u",
       [](Bench& at) { return at.engine().CommitTransaction(kTransaction).status(); },
       [](Bench& at) {
         Begin(at);
         EXPECT_TRUE(Add(at).ok());
       }},
      {"Transactions.RollbackTransaction", "", "- - - - - -",
       [](Bench& at) { return at.engine().RollBackTransaction(kTransaction).status(); }, Begin},
      {"Transactions.GetTransaction", "", "- - - - - -",
       [](Bench& at) { return at.engine().GetTransaction(kTransaction).status(); }, Begin},
  };
}

// ADI-12: reading what there is of an entity is no use of it.
Rows OfQueues() {
  return {
      {"Management.CreateQueue", "another one", "- - - - - -",
       [](Bench& at) { return at.engine().CreateQueue({.name = "new"}); }},
      {"Management.UpdateQueue", "", "u u ! ! ! !",
       [](Bench& at) { return Update(at, EntityKind::kQueue); }},
      {"Management.GetQueue", "", "- - ! ! ! !",
       [](Bench& at) { return at.engine().Get(EntityKind::kQueue, at.path()).status(); }},
      {"Management.GetQueueRuntimeProperties", "", "- - ! ! ! !",
       [](Bench& at) { return at.engine().Get(EntityKind::kQueue, at.path()).status(); }},
      {"Management.ListQueues", "", "- - - - - -",
       [](Bench& at) { return List(at, EntityKind::kQueue); }},
      {"Management.DeleteQueue", "another one", "- - - - - -",
       [](Bench& at) { return at.engine().DeleteQueue("spare"); }},
      {"Management.ListLocks", "", "- - - - ! -",
       [](Bench& at) {
         return Ask<LockPage>(at, [&at](Answer<LockPage> answer) {
           at.broker().ListLocks(at.path(), {}, 10, std::move(answer));
         });
       }},
      {"Management.ListEntityNumbers", "", "- - - - - -",
       [](Bench& at) {
         static_cast<void>(at.engine().shard().entity_numbers()->ReadPage("", 10));
         return Status();
       }},
      // Asked of the door of AMQP alone.
      {"Management.ListConnections", "", "- - - - - -", [](Bench&) { return Status(); }},
      {"Management.CloseConnection", "", "- - - - - -", [](Bench&) { return Status(); }},
      {"Management.GetBrokerStatistics", "", "- - - - - -",
       [](Bench& at) {
         static_cast<void>(at.engine().shard().statistics());
         return Status();
       }},
  };
}

// Not named by ADI-3: what an operator does to messages is a use, as an update is.
// Who may do what is no use of anything.
Rows OfAccessRules() {
  return {
      {"Management.CreateAccessRule", "", "- - - - - -",
       [](Bench& at) {
         return Ask(at, CreateAccessRuleRequest{.name = "new", .rights = access::Right::kSend});
       }},
      {"Management.GetAccessRule", "", "! ! ! ! ! !",
       [](Bench& at) { return Ask(at, GetAccessRuleRequest{.name = "none"}); }},
      {"Management.ListAccessRules", "", "- - - - - -",
       [](Bench& at) { return Ask(at, ListAccessRulesRequest{}); }},
      {"Management.RotateAccessKey", "", "! ! ! ! ! !",
       [](Bench& at) { return Ask(at, RotateAccessKeyRequest{.name = "none"}); }},
      {"Management.RemoveAccessRule", "", "! ! ! ! ! !",
       [](Bench& at) {
         return Ask(at, RemoveAccessRuleRequest{{}, "none"});
       }},
  };
}

Rows PurgesAndJobs() {
  return {
      {"Management.Purge", "", "u u u u u u",
       [](Bench& at) { return at.engine().Purge(at.path()).status(); }},
      {"Management.CheckEntity", "", "- - - - - !",
       [](Bench& at) { return at.engine().Check(at.path()).status(); }},
      {"Management.StartRedrive", "", "u u u u ! u",
       [](Bench& at) {
         return BeginJob(at, {.verb = JobVerb::kRedrive, .path = at.dead_letter_path()});
       }},
      {"Management.StartDeleteMessages", "", "u u u u ! u",
       [](Bench& at) {
         return BeginJob(at, {.verb = JobVerb::kDeleteMessages, .path = at.path()});
       }},
      // It looks at messages, as a peek does.
      {"Management.StartDeleteMessages", "a dry run", "u u u u ! u",
       [](Bench& at) {
         return BeginJob(at,
                         {.verb = JobVerb::kDeleteMessages, .path = at.path(), .is_dry_run = true});
       }},
      {"Management.GetJob", "", "- - - - - -",
       [](Bench& at) { return at.engine().GetJob(JobId(1)).status(); }},
      {"Management.ListJobs", "", "- - - - - -",
       [](Bench& at) {
         return Ask<std::vector<JobRecord>>(at, [&at](Answer<std::vector<JobRecord>> answer) {
           at.broker().ListJobs(JobId(), 10, std::move(answer));
         });
       }},
      {"Management.CancelJob", "", "- - - - - -",
       [](Bench& at) {
         return Ask<JobRecord>(at, [&at](Answer<JobRecord> answer) {
           at.broker().CancelJob(JobId(1), std::move(answer));
         });
       }},
  };
}

Rows OfTopics() {
  return {
      {"Topics.CreateTopic", "another one", "- - - - - -",
       [](Bench& at) { return at.engine().Create(EntityKind::kTopic, {.name = "new"}); }},
      {"Topics.UpdateTopic", "", "! ! ! ! u !",
       [](Bench& at) { return Update(at, EntityKind::kTopic); }},
      {"Topics.GetTopic", "", "! ! ! ! - !",
       [](Bench& at) { return at.engine().Get(EntityKind::kTopic, at.path()).status(); }},
      {"Topics.GetTopicRuntimeProperties", "", "! ! ! ! - !",
       [](Bench& at) { return at.engine().Get(EntityKind::kTopic, at.path()).status(); }},
      {"Topics.ListTopics", "", "- - - - - -",
       [](Bench& at) { return List(at, EntityKind::kTopic); }},
      {"Topics.DeleteTopic", "another one", "- - - - - -",
       [](Bench& at) { return at.engine().Delete(EntityKind::kTopic, "spare-topic"); }},
  };
}

// ADI-4, ADI-5.
Rows OfSubscriptions() {
  return {
      {"Topics.CreateSubscription", "another one of the topic", "! ! - u u !",
       [](Bench& at) {
         return at.engine().Create(EntityKind::kSubscription,
                                   {.name = at.top() + "/Subscriptions/new"});
       }},
      {"Topics.UpdateSubscription", "", "! ! u u ! !",
       [](Bench& at) { return Update(at, EntityKind::kSubscription); }},
      {"Topics.GetSubscription", "", "! ! - - ! !",
       [](Bench& at) { return at.engine().Get(EntityKind::kSubscription, at.path()).status(); }},
      {"Topics.GetSubscriptionRuntimeProperties", "", "! ! - - ! !",
       [](Bench& at) { return at.engine().Get(EntityKind::kSubscription, at.path()).status(); }},
      {"Topics.ListSubscriptions", "", "! ! - - - !",
       [](Bench& at) {
         return Ask<QueuePage>(at, [&at](Answer<QueuePage> answer) {
           at.broker().ListSubscriptions(at.top(), "", 10, std::move(answer));
         });
       }},
      {"Topics.DeleteSubscription", "another one of the topic", "! ! - u u !",
       [](Bench& at) {
         return at.engine().Delete(EntityKind::kSubscription, at.top() + "/Subscriptions/spare");
       }},
  };
}

Rows OfRules() {
  return {
      {"Topics.AddRule", "", "! ! u u ! !",
       [](Bench& at) { return at.engine().AddRule(at.path(), {.name = "red"}); }},
      {"Topics.UpdateRule", "", "! ! u u ! !",
       [](Bench& at) {
         return Ask(at, UpdateRuleRequest{at.path(), "$Default", [](const RuleDescription& rule) {
                                            return Result<RuleDescription>(rule);
                                          }});
       }},
      {"Topics.RemoveRule", "", "! ! u u ! !",
       [](Bench& at) { return at.engine().RemoveRule(at.path(), "$Default"); }},
      {"Topics.GetRule", "", "! ! - - ! !",
       [](Bench& at) {
         return Ask<RuleDescription>(at, [&at](Answer<RuleDescription> answer) {
           at.broker().GetRule(at.path(), "$Default", std::move(answer));
         });
       }},
      {"Topics.ListRules", "", "! ! - - ! !",
       [](Bench& at) { return at.engine().ListRules(at.path()).status(); }},
      {"Topics.EvaluateRule", "", "! ! - - ! !",
       [](Bench& at) {
         return Ask<RuleVerdictPage>(at, [&at](Answer<RuleVerdictPage> answer) {
           at.broker().EvaluateRules({at.path(), "$Default", "", 1, {}}, std::move(answer));
         });
       }},
  };
}

Rows OfTheClock() {
  return {
      {"Clock.Get", "", "- - - - - -",
       [](Bench& at) {
         static_cast<void>(at.engine().clock().Now());
         return Status();
       }},
      {"Clock.Advance", "", "- - - - - -",
       [](Bench& at) {
         return Ask<Timestamp>(
             at, [&at](Answer<Timestamp> answer) { at.broker().AwaitDue(std::move(answer)); });
       }},
  };
}

// --- those who wait

WaitingRow::End Receive(Bench& at) {
  return at.broker().ReceiveOnce(
      {at.path(), kPeekLock, 1, kBytes, std::chrono::minutes(5), at.session()},
      [](const Result<std::vector<Delivered>>&) {});
}

WaitingRow::End AcceptNext(Bench& at) {
  return at.broker().AcceptSession(at.path(), {std::nullopt, std::chrono::minutes(5)},
                                   [](const Result<AcceptedSession>&) {});
}

WaitingRow::End Stream(Bench& at, SessionUse session, std::uint64_t messages) {
  const HolderId stream = *OpenStream(at, std::move(session));
  if (messages > 0) at.broker().Grant(stream, {messages, std::nullopt});
  return [&at, stream] { at.broker().Detach(stream); };
}

SessionChoice AnySession() { return {std::nullopt, std::chrono::minutes(5)}; }

std::string FullName(std::string_view method, std::string_view remark) {
  return remark.empty() ? std::string(method) : fmt::format("{} ({})", method, remark);
}

Use LetterAt(std::string_view uses, Place place) {
  return static_cast<Use>(uses.at(2 * static_cast<std::size_t>(place)));
}

}  // namespace

std::string ActivityRow::name() const { return FullName(method, remark); }
Use ActivityRow::UseAt(Place place) const { return LetterAt(uses, place); }

std::string WaitingRow::name() const { return FullName(method, remark); }
Use WaitingRow::UseAt(Place place) const { return LetterAt(uses, place); }

const std::vector<ActivityRow>& ActivityRows() {
  static const Rows kRows = [] {
    Rows all;
    for (const auto part :
         {SendingAndReceiving, OfNumbers, OfSessions, OfTransactions, OfQueues, PurgesAndJobs,
          OfAccessRules, OfTopics, OfSubscriptions, OfRules, OfTheClock}) {
      for (const ActivityRow& row : part()) all.push_back(row);
    }
    return all;
  }();
  return kRows;
}

// ADI-9, ADI-10, ADI-11. Of a wait its begin and its end are written, and that it lasted, once in
// the time that the entity may be idle; a crash ends it, and leaves those who wait five minutes to
// come back (ADI-15).
const std::vector<WaitingRow>& WaitingRows() {
  static const std::vector<WaitingRow> kRows = {
      {"Messaging.Receive", "", "u u u u ! u", Receive, true},
      {"Sessions.AcceptSession", "", "! u ! ! ! !", AcceptNext, true},
      {"Messaging.ReceiveStream", "with credit", "u u u u ! u",
       [](Bench& at) { return Stream(at, SessionOf(at), 1); }},
      {"Messaging.ReceiveStream", "without credit", "- - - - ! -",
       [](Bench& at) { return Stream(at, SessionOf(at), 0); }},
      // It takes the session without credit, too: that is what it waits for.
      {"Messaging.ReceiveStream", "for the next session, without credit", "! u ! ! ! !",
       [](Bench& at) { return Stream(at, AnySession(), 0); }},
      {"Messaging.ReceiveStream", "for many sessions, with credit", "! u ! ! ! !",
       [](Bench& at) { return Stream(at, ManySessions(), 1); }},
      // It takes no session until it has credit.
      {"Messaging.ReceiveStream", "for many sessions, without credit", "! - ! ! ! !",
       [](Bench& at) { return Stream(at, ManySessions(), 0); }},
  };
  return kRows;
}

}  // namespace wharf
