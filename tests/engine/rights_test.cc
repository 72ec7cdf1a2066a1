// Who may do what: rules of access as the broker keeps them, and every request and attachment asked
// with and without the right.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/access/guard.h"
#include "broker/access/token.h"
#include "broker/requests/rights_for.h"
#include "tests/engine/receiving/recording_sink.h"
#include "tests/harness/engine_harness.h"
#include "tests/harness/sample_request.h"
#include "tests/heard_log.h"

namespace wharf {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

using access::KeySlot;
using access::Right;
using access::Rights;

const std::string kGivenKey = "a key that somebody chose, 32 signs";

class AccessTest : public testing::Test {
 protected:
  explicit AccessTest(std::function<bool()> keeps_replaced_keys = {})
      : engine_({.guard = &guard_, .keeps_replaced_keys = std::move(keeps_replaced_keys)}) {
    EXPECT_TRUE(MakeEntity(EntityKind::kQueue, {.name = "orders"}).ok());
    EXPECT_TRUE(MakeEntity(EntityKind::kQueue, {.name = "payments"}).ok());
    EXPECT_TRUE(MakeEntity(EntityKind::kTopic, {.name = "news"}).ok());
    root_ = MakePermit("", "root", Right::kManage);
  }
  // Whatever the test did, everything is accounted for.
  void TearDown() override { EXPECT_EQ(engine_.FindWrong(), ""); }

  Requests& requests() { return engine_.broker().requests(); }

  // As the door itself: who may do it is asked elsewhere.
  template <typename Request>
  Result<typename Request::Response> Ask(Request request) {
    return AskAs({.is_door_itself = true}, std::move(request));
  }
  template <typename Request>
  Result<typename Request::Response> AskAs(Caller caller, Request request) {
    return engine_.Await<typename Request::Response>([&](AnswerTo<Request> answer) {
      requests().Ask(std::move(caller), std::move(request), std::move(answer));
    });
  }

  Result<QueueSnapshot> MakeEntity(EntityKind kind, QueueDescription description) {
    return Ask(CreateEntityRequest{kind, std::move(description), std::nullopt});
  }
  Result<AccessRuleInfo> Create(const std::string& path, const std::string& name, Rights rights) {
    return Ask(
        CreateAccessRuleRequest{.path = path, .name = name, .rights = rights, .shows_keys = true});
  }
  // What a token of this key proves.
  access::PermitPtr Prove(const std::string& path, const std::string& name,
                          const std::string& key) {
    const Result<access::PermitPtr> permit =
        guard_.Prove(access::MakeToken("sb://h/" + path, name, key, now_ + std::chrono::hours(1)));
    return permit.ok() ? *permit : nullptr;
  }
  access::PermitPtr MakePermit(const std::string& path, const std::string& name, Rights rights) {
    const Result<AccessRuleInfo> rule = Create(path, name, rights);
    EXPECT_TRUE(rule.ok()) << rule.status().message();
    return rule.ok() ? Prove(path, name, rule->keys->primary) : nullptr;
  }

  Timestamp now_ = kHarnessStart;
  access::Guard guard_{std::make_shared<const access::Book>(), [this] { return now_; }};
  EngineHarness engine_;
  access::PermitPtr root_;
};

// --- rules

TEST_F(AccessTest, KeysAreDrawnAndShownOnlyWhenAskedFor) {  // SEC-2
  const auto shown = Create("orders", "Reader", Right::kListen);
  const auto silent =
      Ask(CreateAccessRuleRequest{.path = "orders", .name = "b", .rights = Right::kListen});

  ASSERT_TRUE(shown.ok());
  EXPECT_EQ(shown->keys->primary.size(), 44U);
  EXPECT_NE(shown->keys->primary, shown->keys->secondary);
  ASSERT_TRUE(silent.ok());
  EXPECT_FALSE(silent->keys.has_value());
  EXPECT_FALSE(Ask(GetAccessRuleRequest{.path = "Orders", .name = "READER"})->keys.has_value());
  EXPECT_EQ(Ask(GetAccessRuleRequest{.path = "Orders", .name = "READER", .shows_keys = true})
                ->keys->secondary,
            shown->keys->secondary);
  const auto all = Ask(ListAccessRulesRequest{"orders"});
  ASSERT_EQ(all->size(), 2U);
  for (const AccessRuleInfo& each : *all) {
    EXPECT_FALSE(each.keys.has_value());
  }
}

TEST_F(AccessTest, AGivenKeyIsTaken) {
  const auto rule = Ask(CreateAccessRuleRequest{.path = "orders",
                                                .name = "r",
                                                .rights = Right::kSend,
                                                .primary_key = kGivenKey + "!",
                                                .shows_keys = true});
  EXPECT_FALSE(rule.ok()) << "it has blanks";
  const std::string key(40, 'k');
  const auto taken = Ask(CreateAccessRuleRequest{
      .path = "orders", .name = "r", .rights = Right::kSend, .primary_key = key});
  ASSERT_TRUE(taken.ok());
  EXPECT_NE(Prove("orders", "r", key), nullptr);
  EXPECT_EQ(Ask(CreateAccessRuleRequest{.path = "orders",
                                        .name = "s",
                                        .rights = Right::kSend,
                                        .primary_key = key,
                                        .secondary_key = key})
                .status()
                .code(),
            ErrorCode::kArgumentError);
}

TEST_F(AccessTest, RefusesWhatCannotBe) {
  EXPECT_EQ(Create("orders", "", Right::kSend).status().code(), ErrorCode::kArgumentError);
  EXPECT_EQ(Create("orders", "r", Rights()).status().code(), ErrorCode::kArgumentError);
  EXPECT_EQ(Create("nothing", "r", Right::kSend).status().code(),
            ErrorCode::kMessagingEntityNotFound);
  EXPECT_EQ(Create("orders/$DeadLetterQueue", "r", Right::kSend).status().code(),
            ErrorCode::kMessagingEntityNotFound);
  ASSERT_TRUE(MakeEntity(EntityKind::kSubscription, {.name = "news/Subscriptions/me"}).ok());
  EXPECT_EQ(Create("news/Subscriptions/me", "r", Right::kListen).status().code(),
            ErrorCode::kInvalidOperation);
  ASSERT_TRUE(Create("orders", "r", Right::kSend).ok());
  EXPECT_EQ(Create("orders", "R", Right::kSend).status().code(),
            ErrorCode::kMessagingEntityAlreadyExists);
  EXPECT_EQ(Ask(RotateAccessKeyRequest{.path = "orders", .name = "x"}).status().code(),
            ErrorCode::kMessagingEntityNotFound);
  EXPECT_EQ(Ask(RemoveAccessRuleRequest{"orders", "x"}).status().code(),
            ErrorCode::kMessagingEntityNotFound);
}

TEST_F(AccessTest, AnEntityHasTwelveRules) {  // QUO-9
  for (int i = 0; i < 12; ++i) {
    ASSERT_TRUE(Create("orders", "r" + std::to_string(i), Right::kSend).ok());
  }

  EXPECT_EQ(Create("orders", "more", Right::kSend).status().code(), ErrorCode::kQuotaExceeded);
  EXPECT_TRUE(Create("payments", "more", Right::kSend).ok());
}

TEST_F(AccessTest, RulesAreThereAfterARestart) {
  const auto rule = Create("orders", "reader", Right::kListen);
  ASSERT_TRUE(rule.ok());
  ASSERT_TRUE(Ask(RotateAccessKeyRequest{.path = "orders", .name = "reader"}).ok());
  ASSERT_TRUE(Create("orders", "gone", Right::kListen).ok());
  ASSERT_TRUE(Ask(RemoveAccessRuleRequest{"orders", "gone"}).ok());

  engine_.Restart();

  EXPECT_EQ(Prove("orders", "reader", rule->keys->primary), nullptr);
  EXPECT_NE(Prove("orders", "reader", rule->keys->secondary), nullptr);
  EXPECT_EQ(Ask(ListAccessRulesRequest{"orders"})->size(), 1U);
  EXPECT_EQ(Ask(ListAccessRulesRequest{""})->size(), 1U);
}

TEST_F(AccessTest, AnUpdateOfAQueueLeavesItsRulesAlone) {
  const auto rule = Create("orders", "reader", Right::kListen);
  ASSERT_TRUE(rule.ok());

  ASSERT_TRUE(Ask(UpdateEntityRequest{EntityKind::kQueue, "orders",
                                      [](const EntityRecord& now) {
                                        QueueDescription changed = now.description;
                                        changed.max_delivery_count = 7;
                                        return Result<QueueDescription>(changed);
                                      }})
                  .ok());
  engine_.Restart();

  EXPECT_NE(Prove("orders", "reader", rule->keys->primary), nullptr);
}

TEST_F(AccessTest, RulesGoWithTheirEntity) {
  const auto rule = Create("orders", "reader", Right::kListen);
  ASSERT_TRUE(rule.ok());
  const access::PermitPtr permit = Prove("orders", "reader", rule->keys->primary);
  ASSERT_TRUE(guard_.Check(permit).ok());

  ASSERT_TRUE(Ask(DeleteEntityRequest{EntityKind::kQueue, "orders"}).ok());
  EXPECT_EQ(guard_.Check(permit).code(), ErrorCode::kUnauthorized);

  ASSERT_TRUE(MakeEntity(EntityKind::kQueue, {.name = "orders"}).ok());
  EXPECT_EQ(guard_.Check(permit).code(), ErrorCode::kUnauthorized);
  EXPECT_TRUE(Ask(ListAccessRulesRequest{"orders"})->empty());
  engine_.Restart();
  EXPECT_TRUE(Ask(ListAccessRulesRequest{"orders"})->empty());
  EXPECT_EQ(guard_.book()->size(), 1U);
}

// Where a client comes from is the business of who runs the broker.
TEST_F(AccessTest, ATraceShowsWhatItsCallerMayListenToAndHoldersToWhoManagesAll) {
  Message message;
  message.message_id = "m";
  ASSERT_TRUE(Ask(SendRequest{{"orders"}, {message}, false}).ok());
  std::shared_ptr<WaitHandle> wait;
  const auto locked = engine_.Await<std::vector<Delivered>>([&](auto answer) {
    wait = requests().Wait({.peer = "here", .is_door_itself = true},
                           ReceiveRequest{{"orders"}, ReceiveMode::kPeekLock, 1, 1 << 20},
                           std::move(answer));
  });
  ASSERT_EQ(locked->size(), 1U);
  const auto below = MakePermit("orders", "below", Right::kListen);
  const auto listener = MakePermit("", "listener", Right::kListen);
  const auto holder_for = [&](const access::PermitPtr& permit, const std::string& path) {
    const auto page = AskAs({.permit = permit}, TraceRequest{{path}, std::string("m"), {}});
    return page.ok() && page->places.size() == 1 ? page->places[0].locked_by
                                                 : page.status().ToString();
  };

  EXPECT_EQ(AskAs({.permit = below}, TraceRequest{{}, std::string("m"), {}}).status().code(),
            ErrorCode::kForbidden);
  EXPECT_EQ(
      AskAs({.permit = below}, TraceRequest{{"payments"}, std::string("m"), {}}).status().code(),
      ErrorCode::kForbidden);
  EXPECT_EQ(holder_for(below, "orders"), "");
  EXPECT_EQ(holder_for(listener, ""), "");
  EXPECT_EQ(holder_for(root_, ""), "here");
}

TEST_F(AccessTest, ListedSessionsNameTheirHolderToWhoManagesTheEntity) {
  ASSERT_TRUE(MakeEntity(EntityKind::kQueue, {.name = "letters", .requires_session = true}).ok());
  const auto below = MakePermit("letters", "below", Right::kListen);
  const auto listener = MakePermit("", "listener", Right::kListen);
  const auto manager = MakePermit("letters", "manager", Right::kManage);
  std::shared_ptr<WaitHandle> wait;
  const auto accepted = engine_.Await<AcceptedSession>([&](auto answer) {
    wait = requests().Wait({.peer = "here", .permit = below},
                           AcceptSessionRequest{{"letters"}, {.id = "red"}}, std::move(answer));
  });
  ASSERT_TRUE(accepted.ok()) << accepted.status().ToString();
  const auto holder_for = [&](const access::PermitPtr& permit) {
    const auto page =
        AskAs({.permit = permit}, ListSessionsRequest{.entity = {"letters"}, .count_max = 1});
    if (!page.ok()) return page.status().ToString();
    const ActorPtr holder = page->sessions.at(0).holder;
    return holder == nullptr ? std::string() : holder->peer + " as " + holder->identity;
  };

  EXPECT_EQ(holder_for(below), "");
  EXPECT_EQ(holder_for(listener), "");
  EXPECT_EQ(holder_for(manager), "here as letters#below");
  EXPECT_EQ(holder_for(root_), "here as letters#below");
}

TEST_F(AccessTest, ARotatedKeyOpensNothingAndTheOtherOneGoesOn) {  // SEC-7
  const auto rule = Create("orders", "reader", Right::kListen);
  ASSERT_TRUE(rule.ok());
  const access::PermitPtr first = Prove("orders", "reader", rule->keys->primary);
  const access::PermitPtr second = Prove("orders", "reader", rule->keys->secondary);

  const auto rotated = Ask(RotateAccessKeyRequest{
      .path = "orders", .name = "reader", .slot = KeySlot::kPrimary, .shows_keys = true});

  ASSERT_TRUE(rotated.ok());
  EXPECT_EQ(rotated->keys->secondary, rule->keys->secondary);
  EXPECT_NE(rotated->keys->primary, rule->keys->primary);
  EXPECT_EQ(guard_.Check(first).code(), ErrorCode::kUnauthorized);
  EXPECT_TRUE(guard_.Check(second).ok());
  EXPECT_NE(Prove("orders", "reader", rotated->keys->primary), nullptr);
}

// --- rights

// Of every request: with no permit, with the right, and with any other.
class EveryRequest : public AccessTest {
 protected:
  EveryRequest() {
    EXPECT_TRUE(MakeEntity(EntityKind::kTopic, {.name = "topic"}).ok());
    for (const Right right : access::kAllRights) {
      on_orders_[PlaceOf(right)] = MakePermit("orders", "r" + PlainName(right), right);
      everywhere_[PlaceOf(right)] = MakePermit("", "r" + PlainName(right), right);
    }
    elsewhere_ = MakePermit("payments", "manager", Right::kManage);
  }

  static std::string PlainName(Right right) { return std::string(NameOf(right)); }
  static std::size_t PlaceOf(Right right) {
    return right == Right::kSend ? 0 : right == Right::kListen ? 1 : 2;
  }

  // The rules of "orders" would go with it.
  template <typename Request>
  static Request HarmlessSample() {
    auto request = SampleRequest<Request>();
    if constexpr (std::is_same_v<Request, DeleteEntityRequest>) request.name = "orders/none";
    return request;
  }
  template <typename Request>
  ErrorCode CodeFor(const access::PermitPtr& permit) {
    return AskAs({.permit = permit}, HarmlessSample<Request>()).status().code();
  }
  static bool IsRefusal(ErrorCode code) {
    return code == ErrorCode::kUnauthorized || code == ErrorCode::kForbidden;
  }

  // The right that it takes on "orders", or on the namespace; nothing: a token is enough.
  template <typename Request>
  static std::optional<Right> RightOf() {
    if (kNeed<Request>.on == On::kParts) return Right::kSend;  // The samples send.
    return kNeed<Request>.right;
  }

  template <typename Request>
  void Try() {
    SCOPED_TRACE(typeid(Request).name());
    EXPECT_EQ(CodeFor<Request>(nullptr), ErrorCode::kUnauthorized);
    const std::optional<Right> needed = RightOf<Request>();
    const bool is_global = kNeed<Request>.on == On::kNamespace;
    // CreateEntityRequest's sample is about another name.
    const bool is_elsewhere = std::is_same_v<Request, CreateEntityRequest>;
    for (const Right right : access::kAllRights) {
      const bool has = !needed || Rights(right).Has(*needed);
      SCOPED_TRACE(PlainName(right));
      EXPECT_EQ(!IsRefusal(CodeFor<Request>(everywhere_[PlaceOf(right)])), has);
      const bool has_there = has && !((is_global || is_elsewhere) && needed);
      EXPECT_EQ(!IsRefusal(CodeFor<Request>(on_orders_[PlaceOf(right)])), has_there);
    }
    EXPECT_EQ(!IsRefusal(CodeFor<Request>(elsewhere_)), !needed.has_value());
  }
  template <typename... Request>
  void TryAll(TypeList<Request...>) {
    (Try<Request>(), ...);
  }

  access::PermitPtr on_orders_[3];
  access::PermitPtr everywhere_[3];
  access::PermitPtr elsewhere_;
};

TEST_F(EveryRequest, TakesTheRightOfTheTable) {  // SEC-20, SEC-21, SEC-22, SEC-23, SEC-24
  TryAll(RequestList());
}

class AttachmentTest : public EveryRequest {
 protected:
  template <typename Open>
  void TryOpening(Right needed, Open open) {
    EXPECT_EQ(open(Caller()), ErrorCode::kUnauthorized);
    for (const Right right : access::kAllRights) {
      SCOPED_TRACE(PlainName(right));
      const bool has = Rights(right).Has(needed);
      EXPECT_EQ(!IsRefusal(open({.permit = on_orders_[PlaceOf(right)]})), has);
    }
    EXPECT_EQ(open({.permit = elsewhere_}), ErrorCode::kForbidden);
  }
};

TEST_F(AttachmentTest, ReceiversWaitsAndUploadsTakeTheirRights) {  // SEC-10
  TryOpening(Right::kListen, [&](const Caller& caller) {
    std::shared_ptr<ReceiverHandle> handle;
    const auto attached = engine_.Await<Attached>([&](Answer<Attached> answer) {
      handle = requests().Attach(caller, {.entity = kSampleEntity},
                                 std::make_shared<RecordingSink>(), std::move(answer));
    });
    if (attached.ok()) handle->Detach();
    return attached.status().code();
  });
  TryOpening(Right::kListen, [&](const Caller& caller) {
    return engine_
        .Await<std::vector<Delivered>>([&](AnswerTo<ReceiveRequest> answer) {
          requests().Wait(caller, ReceiveRequest{.entity = kSampleEntity}, std::move(answer));
        })
        .status()
        .code();
  });
  TryOpening(Right::kListen, [&](const Caller& caller) {
    return engine_
        .Await<AcceptedSession>([&](AnswerTo<AcceptSessionRequest> answer) {
          requests().Wait(caller, AcceptSessionRequest{.entity = kSampleEntity}, std::move(answer));
        })
        .status()
        .code();
  });
  TryOpening(Right::kSend, [&](const Caller& caller) {
    return engine_
        .Await<SendOutcome>([&](Answer<SendOutcome> answer) {
          requests()
              .Upload(
                  caller, {.entity = kSampleEntity, .body_bytes = 1}, [] {}, std::move(answer))
              ->Write("x");
        })
        .status()
        .code();
  });
  TryOpening(Right::kSend, [&](const Caller& caller) {
    ErrorCode code = ErrorCode::kOk;
    const auto wait = requests().Wait(
        caller, AwaitClosedRequest{kSampleEntity},
        [&](const Result<std::monostate>& closed) { code = closed.status().code(); });
    engine_.Run();
    wait->Cancel();
    engine_.Run();
    return code;
  });
}

// No probing of names.
TEST_F(AccessTest, WithoutTheRightItDoesNotMatterWhetherThereIsSuchAnEntity) {
  const access::PermitPtr reader = MakePermit("orders", "reader", Right::kListen);
  const auto ask = [&](const std::string& path) {
    return AskAs({.permit = reader}, PeekRequest{.entity = {path}}).status();
  };

  Status there = ask("payments");
  Status not_there = ask("paymentz");

  EXPECT_EQ(there.code(), ErrorCode::kForbidden);
  EXPECT_EQ(not_there.code(), ErrorCode::kForbidden);
  EXPECT_EQ(there.message().size(), not_there.message().size());
}

TEST_F(AccessTest, ATopicsRuleHoldsForItsSubscriptionsAndTheirDeadLetters) {
  ASSERT_TRUE(MakeEntity(EntityKind::kSubscription, {.name = "news/Subscriptions/me"}).ok());
  const access::PermitPtr reader = MakePermit("news", "reader", Right::kListen);

  for (const char* path : {"news/Subscriptions/me", "NEWS/subscriptions/ME/$DeadLetterQueue",
                           "sb://host/news/Subscriptions/me"}) {
    EXPECT_TRUE(AskAs({.permit = reader}, PeekRequest{.entity = {path}}).ok()) << path;
  }
  EXPECT_EQ(AskAs({.permit = reader}, PeekRequest{.entity = {"news2"}}).status().code(),
            ErrorCode::kForbidden);
}

TEST_F(AccessTest, WhoForwardsManagesTheTargetToo) {  // SEC-25
  const access::PermitPtr manager = MakePermit("orders", "manager", Right::kManage);
  const auto update = [&](const access::PermitPtr& permit, std::optional<std::string> target) {
    return AskAs({.permit = permit}, UpdateEntityRequest{EntityKind::kQueue, "orders",
                                                         [target](const EntityRecord& now) {
                                                           QueueDescription changed =
                                                               now.description;
                                                           changed.forward_to = target;
                                                           return Result<QueueDescription>(changed);
                                                         }})
        .status()
        .code();
  };

  EXPECT_EQ(update(manager, "payments"), ErrorCode::kForbidden);
  EXPECT_EQ(update(root_, "payments"), ErrorCode::kOk);
  EXPECT_EQ(update(manager, "payments"), ErrorCode::kOk) << "it is so already";
  EXPECT_EQ(update(manager, std::nullopt), ErrorCode::kOk);
  EXPECT_EQ(update(manager, "payments"), ErrorCode::kForbidden);

  const access::PermitPtr news = MakePermit("news", "manager", Right::kManage);
  CreateEntityRequest subscription{EntityKind::kSubscription, {}, std::nullopt};
  subscription.description.name = "news/Subscriptions/me";
  subscription.description.forward_dead_lettered_messages_to = "payments";
  EXPECT_EQ(AskAs({.permit = news}, subscription).status().code(), ErrorCode::kForbidden);
  EXPECT_TRUE(AskAs({.permit = root_}, subscription).ok());
}

// JavaScript's client makes a token for the very path that it asks for.
TEST_F(AccessTest, ATokenMayBeForAPathOfHttpAlone) {  // SEC-6
  const Result<AccessRuleInfo> rule = Create("", "chief", Right::kManage);
  ASSERT_TRUE(rule.ok());
  const auto permit = [&](const std::string& path) {
    return *guard_.Prove(access::MakeToken("https://h:8443/" + path + "?api-version=1", "chief",
                                           rule->keys->primary, now_ + std::chrono::hours(1)));
  };
  const std::string subscription = "news/Subscriptions/me";
  ASSERT_TRUE(MakeEntity(EntityKind::kSubscription, {.name = subscription}).ok());
  const auto code = [&](const char* path, auto request) {
    return AskAs({.permit = permit(path)}, std::move(request)).status().code();
  };
  const auto edit = [](const RuleDescription& current) { return Result<RuleDescription>(current); };

  EXPECT_EQ(code("$Resources/Queues", ListEntitiesRequest{}), ErrorCode::kOk);
  EXPECT_EQ(code("$Resources/Queues", ListEntitiesRequest{EntityKind::kTopic}),
            ErrorCode::kForbidden);
  EXPECT_EQ(code("$resources/topics", ListEntitiesRequest{EntityKind::kTopic}), ErrorCode::kOk);
  EXPECT_EQ(code("$namespaceinfo", GetNamespaceRequest()), ErrorCode::kOk);
  EXPECT_EQ(code("$namespaceinfo", ListEntitiesRequest{}), ErrorCode::kForbidden);
  EXPECT_EQ(code("News/subscriptions/", ListSubscriptionsRequest{"news"}), ErrorCode::kOk);
  EXPECT_EQ(code("News/subscriptions/", GetEntityRequest{EntityKind::kTopic, "news"}),
            ErrorCode::kForbidden);
  const char* rules = "news/subscriptions/me/rules";
  EXPECT_EQ(code(rules, ListRulesRequest{subscription}), ErrorCode::kOk);
  EXPECT_EQ(code(rules, AddRuleRequest{subscription, {.name = "r"}}), ErrorCode::kOk);
  EXPECT_EQ(code(rules, PeekRequest{.entity = {subscription}}), ErrorCode::kForbidden);
  const char* one = "news/subscriptions/me/rules/r";
  EXPECT_EQ(code(one, GetRuleRequest{subscription, "R"}), ErrorCode::kOk);
  EXPECT_EQ(code(one, UpdateRuleRequest{subscription, "r", edit}), ErrorCode::kOk);
  EXPECT_EQ(code(one, GetRuleRequest{subscription, "$Default"}), ErrorCode::kForbidden);
  EXPECT_EQ(code(one, RemoveRuleRequest{subscription, "r"}), ErrorCode::kOk);
}

TEST_F(AccessTest, WhoForwardsMayBringAPermitForTheTarget) {  // FWD-6, SEC-25
  const access::PermitPtr orders = MakePermit("orders", "manager", Right::kManage);
  const access::PermitPtr payments = MakePermit("payments", "manager", Right::kManage);
  const access::PermitPtr reader = MakePermit("payments", "reader", Right::kListen);
  const auto forward = [&](Caller caller) {
    return AskAs(std::move(caller), UpdateEntityRequest{EntityKind::kQueue, "orders",
                                                        [](const EntityRecord& now) {
                                                          QueueDescription changed =
                                                              now.description;
                                                          changed.forward_to = "payments";
                                                          return Result<QueueDescription>(changed);
                                                        }})
        .status()
        .code();
  };

  EXPECT_EQ(forward({.permit = orders, .forward_permits = {reader}}), ErrorCode::kForbidden);
  EXPECT_EQ(forward({.permit = payments, .forward_permits = {orders}}), ErrorCode::kForbidden)
      << "it is for the target alone";
  EXPECT_EQ(forward({.forward_permits = {orders, payments}}), ErrorCode::kUnauthorized);
  EXPECT_EQ(forward({.permit = orders, .forward_permits = {nullptr, payments}}), ErrorCode::kOk);

  const access::PermitPtr news = MakePermit("news", "manager", Right::kManage);
  CreateEntityRequest subscription{EntityKind::kSubscription, {}, std::nullopt};
  subscription.description.name = "news/Subscriptions/me";
  subscription.description.forward_dead_lettered_messages_to = "payments";
  EXPECT_EQ(AskAs({.permit = news}, subscription).status().code(), ErrorCode::kForbidden);
  EXPECT_TRUE(AskAs({.permit = news, .forward_permits = {payments}}, subscription).ok());
}

TEST_F(AccessTest, ARuleOfASubscriptionIsReplacedForGood) {  // ATM-2
  ASSERT_TRUE(MakeEntity(EntityKind::kSubscription, {.name = "news/Subscriptions/me"}).ok());
  const auto update = [&](const std::string& name, Result<RuleDescription> wanted) {
    return Ask(UpdateRuleRequest{"news/Subscriptions/me", name,
                                 [wanted](const RuleDescription&) { return wanted; }});
  };
  const Status refusal(ErrorCode::kInvalidOperation, "not so");

  const auto changed = update("$default", RuleDescription{.filter = SqlText{.text = "a = 1"}});

  ASSERT_TRUE(changed.ok());
  EXPECT_EQ(changed->name, "$Default");
  EXPECT_EQ(update("$Default", refusal).status(), refusal);
  EXPECT_EQ(update("none", RuleDescription()).status().code(), ErrorCode::kMessagingEntityNotFound);
  engine_.Restart();
  const auto rules = Ask(ListRulesRequest{"news/Subscriptions/me", "", 9});
  ASSERT_EQ(rules->rules.size(), 1U);
  EXPECT_EQ(rules->rules[0], *changed);
  EXPECT_TRUE(Ask(ListRulesRequest{"news/Subscriptions/me", "", 9, 1})->rules.empty());
}

class GivenRulesTest : public AccessTest {
 protected:
  using AccessTest::AccessTest;

  using Given = std::vector<GivenAccessRule>;

  Result<QueueSnapshot> Update(std::optional<Given> rules, std::int32_t max_delivery_count = 5) {
    return Ask(UpdateEntityRequest{EntityKind::kQueue, "Orders",
                                   [max_delivery_count](const EntityRecord& now) {
                                     QueueDescription changed = now.description;
                                     changed.max_delivery_count = max_delivery_count;
                                     return Result<QueueDescription>(changed);
                                   },
                                   std::move(rules), /*shows_access_rules=*/true});
  }
  std::string NamesOf(const std::string& path) {
    const auto rules = Ask(ListAccessRulesRequest{path});
    std::string names;
    for (const AccessRuleInfo& rule : *rules) {
      names += rule.name + "(" + access::ToString(rule.rights) + ") ";
    }
    return names;
  }

  const std::string key_ = std::string(40, 'k');
  const std::string other_ = std::string(40, 'o');
};

TEST_F(GivenRulesTest, ComeWithTheEntity) {  // EPR-19
  CreateEntityRequest request{EntityKind::kTopic, {.name = "Sports"}, std::nullopt};
  request.access_rules = {{"reader", Right::kListen, key_, other_}, {"all", Right::kManage}};
  request.shows_access_rules = true;

  const auto made = Ask(std::move(request));

  ASSERT_TRUE(made.ok()) << made.status().message();
  ASSERT_EQ(made->access_rules.size(), 2U);
  EXPECT_EQ(made->access_rules[0].name, "all");
  EXPECT_EQ(made->access_rules[0].keys->primary.size(), 44U);
  EXPECT_EQ(made->access_rules[1].keys->primary, key_);
  EXPECT_NE(Prove("sports", "reader", other_), nullptr);
  const auto found =
      Ask(GetEntityRequest{.kind = std::nullopt, .name = "sports", .shows_access_rules = true});
  EXPECT_EQ(found->record.kind, EntityKind::kTopic);
  EXPECT_EQ(found->access_rules.size(), 2U);
  EXPECT_TRUE(Ask(GetEntityRequest{EntityKind::kTopic, "sports"})->access_rules.empty());
}

TEST_F(GivenRulesTest, AreReplacedByThoseOfAnUpdate) {
  ASSERT_TRUE(Create("orders", "a", Right::kSend).ok());
  ASSERT_TRUE(Create("orders", "b", Right::kSend).ok());

  ASSERT_TRUE(Update(std::nullopt).ok());
  EXPECT_EQ(NamesOf("orders"), "a(Send) b(Send) ");
  ASSERT_TRUE(Update(Given{{"B", Right::kListen}, {"c", Right::kSend}}).ok());
  EXPECT_EQ(NamesOf("orders"), "b(Listen) c(Send) ");
  engine_.Restart();
  EXPECT_EQ(NamesOf("orders"), "b(Listen) c(Send) ");
  ASSERT_TRUE(Update(Given{}).ok());
  EXPECT_EQ(NamesOf("orders"), "");
  engine_.Restart();
  EXPECT_EQ(NamesOf("orders"), "");
}

// Who read them before the rotation gives back what was there then.
TEST_F(GivenRulesTest, DoNotBringBackAKeyThatWasReplaced) {  // SEC-7
  const auto made = Create("orders", "a", Right::kSend);
  const auto rotated = Ask(RotateAccessKeyRequest{
      .path = "orders", .name = "a", .slot = KeySlot::kPrimary, .key = key_, .shows_keys = true});
  ASSERT_TRUE(rotated.ok());

  const auto updated =
      Update(Given{{"a", Right::kListen, made->keys->primary, made->keys->secondary}});

  ASSERT_EQ(updated->access_rules.size(), 1U);
  EXPECT_EQ(updated->access_rules[0].keys->primary, key_);
  EXPECT_EQ(updated->access_rules[0].keys->secondary, made->keys->secondary);
  EXPECT_EQ(updated->access_rules[0].created_at, made->created_at);
  EXPECT_EQ(Prove("orders", "a", made->keys->primary), nullptr);
  EXPECT_NE(Prove("orders", "a", key_), nullptr);
}

// As Azure's clients roll keys: the ones before end as those of a rotation do.
TEST_F(GivenRulesTest, TakeKeysThatAreNew) {  // EPR-19, SEC-7
  const auto made = Create("orders", "a", Right::kSend);
  const access::PermitPtr first = Prove("orders", "a", made->keys->primary);
  const access::PermitPtr second = Prove("orders", "a", made->keys->secondary);

  const auto updated = Update(Given{{"A", Right::kSend, key_, made->keys->primary}});

  ASSERT_EQ(updated->access_rules.size(), 1U);
  EXPECT_EQ(updated->access_rules[0].keys->primary, key_);
  EXPECT_EQ(updated->access_rules[0].keys->secondary, made->keys->primary);
  EXPECT_EQ(updated->access_rules[0].created_at, made->created_at);
  EXPECT_TRUE(guard_.Check(first).ok());
  EXPECT_EQ(guard_.Check(second).code(), ErrorCode::kUnauthorized);
  EXPECT_NE(Prove("orders", "a", key_), nullptr);
}

TEST_F(GivenRulesTest, BringNoReplacedKeyBackWhateverHappensMeanwhile) {  // SEC-7
  const auto made = Create("orders", "a", Right::kSend);
  const Given before{{"a", Right::kSend, made->keys->primary, made->keys->secondary}};
  ASSERT_TRUE(Update(Given{{"a", Right::kListen, key_, other_}}).ok());
  const auto rotated = Ask(RotateAccessKeyRequest{.path = "orders", .name = "a"});
  ASSERT_TRUE(rotated.ok());
  engine_.Restart();

  ASSERT_TRUE(Update(before).ok());

  EXPECT_EQ(Prove("orders", "a", made->keys->primary), nullptr);
  EXPECT_EQ(Prove("orders", "a", made->keys->secondary), nullptr);
  EXPECT_EQ(Prove("orders", "a", key_), nullptr);
  EXPECT_NE(Prove("orders", "a", other_), nullptr);
  for (const std::string& key : {key_, other_, made->keys->primary}) {
    EXPECT_EQ(
        Ask(RotateAccessKeyRequest{.path = "orders", .name = "a", .key = key}).status().code(),
        ErrorCode::kArgumentError);
  }
  // A rule that is made anew remembers nothing.
  ASSERT_TRUE(Update(Given{}).ok());
  ASSERT_TRUE(Update(before).ok());
  EXPECT_NE(Prove("orders", "a", made->keys->primary), nullptr);
}

TEST_F(GivenRulesTest, AreToldTheLogWithoutTheirKeys) {  // SEC-7
  const HeardLog log;
  const auto made = Create("orders", "a", Right::kSend);
  ASSERT_TRUE(Update(Given{{"a", Right::kSend, key_, made->keys->secondary}}).ok());
  EXPECT_THAT(log.lines(),
              Contains(HasSubstr("the access rule 'a' of 'orders' has another primary key")));

  ASSERT_TRUE(Update(Given{{"a", Right::kSend, made->keys->primary, made->keys->secondary}}).ok());

  EXPECT_THAT(log.lines(), Contains(HasSubstr("the access rule 'a' of 'orders' keeps its primary "
                                              "key: the description brings one that was replaced "
                                              "before")));
  EXPECT_THAT(log.lines(), Each(AllOf(Not(HasSubstr(made->keys->primary)), Not(HasSubstr(key_)))));
}

TEST_F(GivenRulesTest, OfARuleThatRemembersTooManyAreRefusedWithTheRest) {
  const auto made = Create("orders", "a", Right::kSend);
  for (std::size_t i = 0; i < access::kReplacedKeysMax; ++i) {
    ASSERT_TRUE(Ask(RotateAccessKeyRequest{.path = "orders", .name = "a"}).ok());
  }

  EXPECT_EQ(Update(Given{{"a", Right::kSend, key_, other_}}, 7).status().code(),
            ErrorCode::kQuotaExceeded);
  EXPECT_EQ(
      Ask(GetEntityRequest{EntityKind::kQueue, "orders"})->record.description.max_delivery_count,
      10);
  EXPECT_TRUE(Update(Given{{"a", Right::kSend, made->keys->primary}}).ok());
  EXPECT_EQ(Prove("orders", "a", made->keys->primary), nullptr);
  EXPECT_TRUE(Ask(RotateAccessKeyRequest{.path = "orders", .name = "a"}).ok());
}

// In a cluster, until all members read what was replaced.
class UnkeptKeysTest : public GivenRulesTest {
 protected:
  UnkeptKeysTest() : UnkeptKeysTest(std::make_shared<bool>(false)) {}

  const std::shared_ptr<bool> keeps_;

 private:
  explicit UnkeptKeysTest(const std::shared_ptr<bool>& keeps)
      : GivenRulesTest([keeps] { return *keeps; }), keeps_(keeps) {}
};

TEST_F(UnkeptKeysTest, ADescriptionReplacesNone) {
  const auto made = Create("orders", "a", Right::kSend);

  ASSERT_TRUE(Update(Given{{"a", Right::kListen, key_, other_}}).ok());
  ASSERT_TRUE(Ask(RotateAccessKeyRequest{.path = "orders", .name = "a"}).ok());

  EXPECT_EQ(NamesOf("orders"), "a(Listen) ");
  EXPECT_NE(Prove("orders", "a", made->keys->secondary), nullptr);
  EXPECT_EQ(Prove("orders", "a", key_), nullptr);
  *keeps_ = true;
  // What was replaced meanwhile is not remembered.
  ASSERT_TRUE(Update(Given{{"a", Right::kListen, made->keys->primary}}).ok());
  EXPECT_NE(Prove("orders", "a", made->keys->primary), nullptr);
  ASSERT_TRUE(Update(Given{{"a", Right::kListen, key_, other_}}).ok());
  EXPECT_NE(Prove("orders", "a", key_), nullptr);
}

TEST_F(GivenRulesTest, ThatCannotBeChangeNothing) {
  Given many;
  for (int i = 0; i < 13; ++i) many.push_back({"r" + std::to_string(i), Right::kSend});
  const Given wrong[] = {many,
                         {{"", Right::kSend}},
                         {{"a", Rights()}},
                         {{"a", Right::kSend}, {"A", Right::kSend}},
                         {{"a", Right::kSend, "short"}},
                         {{"a", Right::kSend, key_, key_}}};
  for (const Given& rules : wrong) {
    EXPECT_FALSE(Update(rules, 7).ok());
    CreateEntityRequest request{EntityKind::kQueue, {.name = "more"}, std::nullopt};
    request.access_rules = rules;
    EXPECT_FALSE(Ask(std::move(request)).ok());
  }
  // Nor do those that can be, where the rest cannot.
  EXPECT_FALSE(Update(Given{{"a", Right::kSend}}, 0).ok());

  EXPECT_EQ(NamesOf("orders"), "");
  const auto orders = Ask(GetEntityRequest{EntityKind::kQueue, "orders"});
  EXPECT_EQ(orders->record.description.max_delivery_count, 10);
  EXPECT_FALSE(Ask(GetEntityRequest{EntityKind::kQueue, "more"}).ok());
  CreateEntityRequest subscription{EntityKind::kSubscription,
                                   {.name = "news/Subscriptions/me"},
                                   std::nullopt,
                                   {{"a", Right::kSend}}};
  EXPECT_EQ(Ask(std::move(subscription)).status().code(), ErrorCode::kInvalidOperation);
}

// A door asks for its etag so.
TEST_F(AccessTest, WhatIsNotAsItWasExpectedStays) {
  ASSERT_TRUE(MakeEntity(EntityKind::kSubscription, {.name = "news/Subscriptions/me"}).ok());
  ASSERT_TRUE(Create("orders", "reader", Right::kListen).ok());
  const Status refusal(ErrorCode::kInvalidOperation, "not so");
  std::string seen;

  const Status entity = Ask(DeleteEntityRequest{EntityKind::kQueue, "Orders",
                                                [&](const EntityRecord& current) {
                                                  seen += current.description.name + " ";
                                                  return refusal;
                                                }})
                            .status();
  const Status rule = Ask(RemoveRuleRequest{"news/Subscriptions/me", "$default",
                                            [&](const RuleDescription& current) {
                                              seen += current.name + " ";
                                              return refusal;
                                            }})
                          .status();
  const Status access_rule =
      Ask(RemoveAccessRuleRequest{"orders", "READER",
                                  [&](const AccessRuleInfo& current) {
                                    seen += current.name + (current.keys ? " with keys" : "");
                                    return refusal;
                                  }})
          .status();

  for (const Status& each : {entity, rule, access_rule}) EXPECT_EQ(each, refusal);
  EXPECT_EQ(seen, "orders $Default reader");
  EXPECT_TRUE(Ask(RemoveAccessRuleRequest{"orders", "reader"}).ok());
  EXPECT_TRUE(Ask(RemoveRuleRequest{"news/Subscriptions/me", "$Default"}).ok());
  EXPECT_TRUE(Ask(DeleteEntityRequest{EntityKind::kQueue, "orders"}).ok());
}

TEST_F(GivenRulesTest, WhateverItIsIsDeleted) {  // ATM-4
  EXPECT_TRUE(Ask(DeleteEntityRequest{std::nullopt, "news"}).ok());
  EXPECT_TRUE(Ask(DeleteEntityRequest{std::nullopt, "ORDERS"}).ok());
  EXPECT_EQ(Ask(DeleteEntityRequest{std::nullopt, "orders"}).status().code(),
            ErrorCode::kMessagingEntityNotFound);
}

TEST_F(AccessTest, ARedriveElsewhereTakesSendThere) {
  const access::PermitPtr manager = MakePermit("orders", "manager", Right::kManage);
  JobOrder order{.verb = JobVerb::kRedrive, .path = "orders/$DeadLetterQueue"};

  EXPECT_TRUE(AskAs({.permit = manager}, BeginJobRequest{order}).ok());
  order.target = "payments";
  EXPECT_EQ(AskAs({.permit = manager}, BeginJobRequest{order}).status().code(),
            ErrorCode::kForbidden);
}

TEST_F(AccessTest, EachPartOfATransactionTakesItsRight) {
  const access::PermitPtr sender = MakePermit("orders", "sender", Right::kSend);
  const SendMessages one{std::vector<Message>(1)};
  const auto run = [&](std::vector<Operation> parts) {
    return AskAs({.permit = sender}, RunTransactionRequest{.operations = std::move(parts)})
        .status()
        .code();
  };

  EXPECT_EQ(run({{"orders", one}}), ErrorCode::kOk);
  EXPECT_EQ(run({{"orders", one}, {"payments", one}}), ErrorCode::kForbidden);
  EXPECT_EQ(run({{"orders", one}, {"orders", RenewLocks{{kSampleToken}}}}), ErrorCode::kForbidden);
}

TEST_F(AccessTest, TransactionsBelongToTheRuleThatBeganThem) {
  const access::PermitPtr mine = MakePermit("orders", "mine", Right::kSend);
  const access::PermitPtr other = MakePermit("orders", "other", Right::kSend);
  ASSERT_TRUE(AskAs({.permit = mine}, BeginTransactionRequest{"t"}).ok());
  const AddToTransactionRequest add{"t", Operation{"orders", SendMessages{{Message()}}}};

  for (const bool restarts : {false, true}) {
    if (restarts) engine_.Restart();
    EXPECT_EQ(AskAs({.permit = other}, GetTransactionRequest{"t"}).status().code(),
              ErrorCode::kTransactionUnknown);
    EXPECT_EQ(AskAs({.permit = other}, add).status().code(), ErrorCode::kTransactionUnknown);
    EXPECT_EQ(AskAs({.permit = other}, CommitTransactionRequest{"t"}).status().code(),
              ErrorCode::kTransactionUnknown);
    EXPECT_EQ(AskAs({.permit = other}, RollBackTransactionRequest{"t"}).status().code(),
              ErrorCode::kTransactionUnknown);
    EXPECT_EQ(AskAs({.permit = other}, BeginTransactionRequest{"t"}).status().code(),
              ErrorCode::kInvalidOperation);
    EXPECT_TRUE(AskAs({.permit = mine}, GetTransactionRequest{"t"}).ok());
    EXPECT_TRUE(AskAs({.permit = root_}, GetTransactionRequest{"t"}).ok());
  }
}

// A door knows which transactions are its client's, whatever rules the client has proven.
TEST_F(AccessTest, WhoIsKnownToOwnATransactionAddsWhatItMay) {
  const access::PermitPtr mine = MakePermit("orders", "mine", Right::kSend);
  const Caller other{.permit = MakePermit("payments", "other", Right::kSend),
                     .owns_transaction = true};
  ASSERT_TRUE(AskAs({.permit = mine}, BeginTransactionRequest{"t"}).ok());

  EXPECT_EQ(
      AskAs(other, AddToTransactionRequest{"t", Operation{"orders", SendMessages{{Message()}}}})
          .status()
          .code(),
      ErrorCode::kForbidden);
  EXPECT_TRUE(
      AskAs(other, AddToTransactionRequest{"t", Operation{"payments", SendMessages{{Message()}}}})
          .ok());
  EXPECT_TRUE(AskAs(other, CommitTransactionRequest{"t"}).ok());
}

TEST_F(AccessTest, AnIdThatAnotherRuleUsedTellsNothingOfItsOutcome) {
  const access::PermitPtr mine = MakePermit("orders", "mine", Right::kSend);
  const access::PermitPtr other = MakePermit("orders", "other", Right::kSend);
  const RunTransactionRequest run{.id = "t", .operations = {{"orders", SendMessages{{Message()}}}}};
  ASSERT_TRUE(AskAs({.permit = mine}, run).ok());

  EXPECT_EQ(AskAs({.permit = other}, run).status().code(), ErrorCode::kInvalidOperation);
  EXPECT_EQ(AskAs({.permit = other}, GetTransactionRequest{"t"}).status().code(),
            ErrorCode::kTransactionUnknown);
  EXPECT_TRUE(AskAs({.permit = mine}, run).ok());
  EXPECT_TRUE(AskAs({.permit = root_}, GetTransactionRequest{"t"}).ok());
}

// A key that is rolled meanwhile takes nothing from its rule.
TEST_F(AccessTest, TheRuleNotTheKeyIsTheOwner) {
  const auto rule = Create("orders", "mine", Right::kSend);
  ASSERT_TRUE(rule.ok());
  const access::PermitPtr first = Prove("orders", "mine", rule->keys->primary);
  ASSERT_TRUE(AskAs({.permit = first}, BeginTransactionRequest{"t"}).ok());
  ASSERT_TRUE(Ask(RotateAccessKeyRequest{.path = "orders", .name = "mine"}).ok());

  EXPECT_EQ(AskAs({.permit = first}, CommitTransactionRequest{"t"}).status().code(),
            ErrorCode::kUnauthorized);
  const access::PermitPtr second = Prove("orders", "mine", rule->keys->secondary);
  EXPECT_TRUE(AskAs({.permit = second}, CommitTransactionRequest{"t"}).ok());
}

TEST_F(AccessTest, JobsBelongToTheRuleThatBeganThem) {
  const access::PermitPtr mine = MakePermit("orders", "mine", Right::kManage);
  const access::PermitPtr other = MakePermit("payments", "other", Right::kManage);
  const auto job = AskAs({.permit = mine}, SampleRequest<BeginJobRequest>());
  ASSERT_TRUE(job.ok());

  for (const bool restarts : {false, true}) {
    if (restarts) engine_.Restart();
    EXPECT_EQ(AskAs({.permit = other}, GetJobRequest{job->id}).status().code(),
              ErrorCode::kMessagingEntityNotFound);
    EXPECT_EQ(AskAs({.permit = other}, CancelJobRequest{job->id}).status().code(),
              ErrorCode::kMessagingEntityNotFound);
    EXPECT_TRUE(AskAs({.permit = other}, ListJobsRequest{{}, 10})->empty());
    EXPECT_EQ(AskAs({.permit = mine}, ListJobsRequest{{}, 10})->size(), 1U);
    EXPECT_EQ(AskAs({.permit = root_}, ListJobsRequest{{}, 10})->size(), 1U);
    EXPECT_TRUE(AskAs({.permit = mine}, GetJobRequest{job->id}).ok());
  }
}

// What a door gives back never reached its client, whose token may have lapsed by now.
TEST_F(AccessTest, ADoorGivesBackWhatItsClientDidNotHearOf) {
  EXPECT_EQ(AskAs({.is_door_itself = true}, SampleRequest<SettleRequest>()).status().code(),
            ErrorCode::kOk);
}

TEST_F(AccessTest, ALapsedTokenAsksNothing) {
  now_ += std::chrono::hours(1);

  EXPECT_EQ(AskAs({.permit = root_}, SampleRequest<SendRequest>()).status().code(),
            ErrorCode::kUnauthorized);
}

TEST_F(AccessTest, WithoutAGuardNobodyProvesAnything) {
  EngineHarness open;
  ASSERT_TRUE(open.CreateQueue({.name = "orders"}).ok());

  EXPECT_TRUE(open.Send("orders", "body").ok());
}

// What the table must say; the tests above believe it.
class NeedTest : public testing::Test {
 protected:
  template <typename... Request>
  void ExpectEach(TypeList<Request...>, const Need& wanted) {
    (Expect(typeid(Request).name(), kNeed<Request>, wanted), ...);
    looked_at_ += sizeof...(Request);
  }

  static void Expect(const char* name, const Need& need, const Need& wanted) {
    EXPECT_EQ(need.on, wanted.on) << name;
    EXPECT_EQ(need.right, wanted.right) << name;
  }
  template <typename... Request>
  static std::size_t CountOf(TypeList<Request...>) {
    return sizeof...(Request);
  }

  std::size_t looked_at_ = 0;
};

TEST_F(NeedTest, IsWhatTheSemanticsSay) {
  // SEC-21
  ExpectEach(TypeList<SendRequest, UploadRequest, AwaitClosedRequest, CancelScheduledRequest,
                      RescheduleRequest, ActivateScheduledRequest>(),
             {On::kEntity, Right::kSend});
  // SEC-22, SEC-24
  ExpectEach(TypeList<AttachRequest, ReceiveRequest, AcceptSessionRequest, SettleRequest,
                      RenewLockRequest, PeekRequest, PeekBodyRequest, TraceRequest,
                      ReceiveDeferredRequest, UndeferRequest, ReceiveOneRequest, SettleOneRequest,
                      DeleteOldestRequest, ExportOneRequest, ListScheduledRequest,
                      RenewSessionRequest, ReleaseSessionRequest, GetSessionStateRequest,
                      SetSessionStateRequest, ListSessionsRequest, ListDeepestSessionsRequest,
                      GetRuleRequest, ListRulesRequest, EvaluateRulesRequest>(),
             {On::kEntity, Right::kListen});
  // SEC-20, SEC-23
  ExpectEach(
      TypeList<CreateEntityRequest, UpdateEntityRequest, GetEntityRequest, DeleteEntityRequest,
               ListSubscriptionsRequest, AddRuleRequest, UpdateRuleRequest, RemoveRuleRequest,
               CreateAccessRuleRequest, GetAccessRuleRequest, ListAccessRulesRequest,
               RotateAccessKeyRequest, RemoveAccessRuleRequest, PurgeRequest, CheckEntityRequest,
               ListLocksRequest, ForceReleaseSessionRequest, BeginJobRequest>(),
      {On::kEntity, Right::kManage});
  ExpectEach(TypeList<GetNamespaceRequest, ListEntitiesRequest, AwaitDueRequest, MoveClock,
                      AskStatistics, ManageConnections>(),
             {On::kNamespace, Right::kManage});
  ExpectEach(TypeList<BeginTransactionRequest, CommitTransactionRequest, RollBackTransactionRequest,
                      GetTransactionRequest, GetJobRequest, ListJobsRequest, CancelJobRequest>(),
             {On::kOwn, std::nullopt});
  ExpectEach(TypeList<RunTransactionRequest, AddToTransactionRequest>(),
             {On::kParts, std::nullopt});
  ExpectEach(TypeList<AskClock, EvaluateRuleRequest, ReadBodyChunkRequest>(),
             {On::kNothing, std::nullopt});

  // Beside the list stand five that open something, and four that others are asked.
  EXPECT_EQ(looked_at_, CountOf(RequestList()) + 5 + 4);
}

// One address, however it is written, is one resource.
TEST(RightsForTest, ReadsAddressesAsTheDirectoryDoes) {
  EXPECT_EQ(ResourceOfAddress("sb://host/Orders"), "orders");
  EXPECT_EQ(ResourceOfAddress("orders/$deadletterqueue"), "orders/$deadletterqueue");
  EXPECT_EQ(ResourceOfAddress("A\\B/$DeadLetterQueue"), "a/b/$deadletterqueue");
  EXPECT_EQ(ResourceOfName("Topic/Subscriptions/Me"), "topic/subscriptions/me");
}

}  // namespace
}  // namespace wharf
