// Management over HTTP, from a request to its answer, without a socket: with a broker behind it
// that a test moves by steps.
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/access/guard.h"
#include "broker/access/token.h"
#include "broker/doors/http/atom/atom_handler.h"
#include "tests/harness/engine_harness.h"

namespace wharf::atom {
namespace {

using access::Right;
using ::testing::HasSubstr;
using ::testing::Not;

// What a client hears.
struct Heard {
  unsigned status = 0;
  std::string type{};
  std::string body{};
  HttpFields fields{};

  std::string Field(std::string_view name) const {
    const std::string* const value = FindField(fields, name);
    return value == nullptr ? "" : *value;
  }
};

class FakeCall final : public ServiceBusCall {
 public:
  FakeCall(ServiceBusRequest request, Requests& requests, access::Guard& guard,
           wharf::Answer<Heard> answer)
      : request_(std::move(request)),
        requests_(requests),
        guard_(guard),
        answer_(std::move(answer)) {}

  ServiceBusRequest& request() override { return request_; }
  Requests& requests() override { return requests_; }
  Result<access::PermitPtr> ProveAlso(std::string_view token) override {
    return guard_.Prove(token);
  }
  void Answer(HttpResponse response) override {
    std::move(answer_)(Heard{response.status, response.type, std::move(response.body),
                             std::move(response.fields)});
  }
  void EndWaitWith(std::function<void()>) override {}
  Status end_reason() const override { return {}; }

 private:
  ServiceBusRequest request_;
  Requests& requests_;
  access::Guard& guard_;
  wharf::Answer<Heard> answer_;
};

std::string Entry(const std::string& name, const std::string& content) {
  return R"(<entry xmlns="http://www.w3.org/2005/Atom"><content><)" + name +
         R"( xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect" )"
         R"(xmlns:i="http://www.w3.org/2001/XMLSchema-instance">)" +
         content + "</" + name + "></content></entry>";
}
std::string Queue(const std::string& content = "") { return Entry("QueueDescription", content); }
std::string Topic(const std::string& content = "") { return Entry("TopicDescription", content); }
std::string Subscription(const std::string& content = "") {
  return Entry("SubscriptionDescription", content);
}
std::string SqlRule(const std::string& sql) {
  return Entry("RuleDescription",
               R"(<Filter i:type="SqlFilter"><SqlExpression>)" + sql + "</SqlExpression></Filter>");
}

class AtomHandlerTest : public ::testing::Test {
 protected:
  explicit AtomHandlerTest(std::function<bool()> keeps_unknown_elements = {})
      : engine_({.guard = &guard_, .keeps_unknown_elements = std::move(keeps_unknown_elements)}) {
    permit_ = PermitOf("", Right::kManage);
  }
  void TearDown() override { EXPECT_EQ(engine_.FindWrong(), ""); }

  Heard Ask(std::string method, const std::string& url, std::string body = "",
            HttpFields fields = {}) {
    ServiceBusRequest request{.method = std::move(method),
                              .fields = std::move(fields),
                              .body = std::move(body),
                              .origin = "https://h:8443",
                              .caller = {.tracking_id = NewTrackingId(), .permit = permit_}};
    const std::size_t question = url.find('?');
    request.target = *ParseTarget(url.substr(0, question),
                                  question == std::string::npos ? "" : url.substr(question + 1));
    return *engine_.Await<Heard>([&](Answer<Heard> answer) {
      handler_.Handle(std::make_shared<FakeCall>(std::move(request), engine_.broker().requests(),
                                                 guard_, std::move(answer)));
    });
  }
  Heard Put(const std::string& url, std::string body, HttpFields fields = {}) {
    return Ask("PUT", url, std::move(body), std::move(fields));
  }
  Heard Update(const std::string& url, std::string body, const std::string& if_match = "*") {
    return Put(url, std::move(body), {{"if-match", if_match}});
  }
  Heard Get(const std::string& url) { return Ask("GET", url); }

  // Of a new rule of that resource.
  access::PermitPtr PermitOf(const std::string& path, access::Rights rights) {
    const auto token = TokenOf(path, rights);
    const auto permit = guard_.Prove(token);
    return permit.ok() ? *permit : nullptr;
  }
  std::string TokenOf(const std::string& path, access::Rights rights) {
    const std::string name = "r" + std::to_string(++rules_);
    const auto made = engine_.Await<AccessRuleInfo>([&](Answer<AccessRuleInfo> answer) {
      engine_.broker().requests().Ask(
          {.is_door_itself = true},
          CreateAccessRuleRequest{.path = path, .name = name, .rights = rights, .shows_keys = true},
          std::move(answer));
    });
    EXPECT_TRUE(made.ok()) << made.status().message();
    return access::MakeToken("sb://h/" + path, name, made->keys->primary,
                             kHarnessStart + std::chrono::hours(1));
  }

  access::Guard guard_{std::make_shared<const access::Book>(), [] { return kHarnessStart; }};
  EngineHarness engine_;
  AtomHandler handler_;
  access::PermitPtr permit_;
  int rules_ = 0;
};

TEST_F(AtomHandlerTest, AnEntityIsMadeReadChangedAndDeleted) {  // ATM-1 to ATM-4
  const Heard made = Put("/A/Orders?api-version=2017-04", Queue());
  EXPECT_EQ(made.status, 201U);
  EXPECT_EQ(made.type, "application/atom+xml;type=entry;charset=utf-8");
  EXPECT_THAT(made.body, HasSubstr("<id>https://h:8443/A/Orders?api-version=2017-04</id>"));
  EXPECT_THAT(made.body, HasSubstr("<LockDuration>PT1M</LockDuration>"));

  const Heard again = Put("/a/orders", Queue());
  EXPECT_EQ(again.status, 409U);
  EXPECT_THAT(again.body, HasSubstr("<Error><Code>409</Code><Detail>SubCode=40900."));
  EXPECT_THAT(again.body, HasSubstr("TrackingId:"));

  const Heard changed = Update("/a%2forders", Queue("<LockDuration>PT30S</LockDuration>"));
  EXPECT_EQ(changed.status, 200U);
  EXPECT_THAT(changed.body, HasSubstr("<LockDuration>PT30S</LockDuration>"));
  const Heard found = Get("/a/orders?enrich=True");
  EXPECT_EQ(found.status, 200U);
  EXPECT_THAT(found.body, HasSubstr("A/Orders?api-version=2021-05</id>"));
  EXPECT_EQ(found.Field("ETag"), changed.Field("ETag"));

  const Heard deleted = Ask("DELETE", "/a/orders");
  EXPECT_EQ(deleted.status, 200U);
  EXPECT_EQ(deleted.body, "");
  for (const Heard& missing : {Get("/a/orders"), Ask("DELETE", "/a/orders"),
                               Update("/a/orders", Queue()), Get("/$nothing")}) {
    EXPECT_EQ(missing.status, 404U);
    EXPECT_THAT(missing.body, HasSubstr("SubCode=40400"));
  }
}

TEST_F(AtomHandlerTest, TheWrongKindIsAnsweredAsWhatItIs) {  // ATM-7, NAM-6
  ASSERT_EQ(Put("/news", Topic()).status, 201U);

  EXPECT_THAT(Get("/news").body, HasSubstr("<TopicDescription "));
  EXPECT_EQ(Put("/news", Queue()).status, 409U);
  EXPECT_EQ(Update("/news", Queue()).status, 404U);
  EXPECT_EQ(Put("/news/Subscriptions/s", Queue()).status, 400U);
  EXPECT_EQ(Put("/more", Subscription()).status, 400U);
  EXPECT_EQ(Ask("DELETE", "/news").status, 200U);
}

TEST_F(AtomHandlerTest, AnEtagKeepsTwoWhoChangeApart) {  // ATM-2
  const std::string etag = Put("/q", Queue()).Field("ETag");
  const std::string mine = Queue("<MaxDeliveryCount>3</MaxDeliveryCount>");

  EXPECT_EQ(Update("/q", Queue("<UserMetadata>first</UserMetadata>"), etag).status, 200U);
  const Heard late = Update("/q", mine, etag);
  EXPECT_EQ(late.status, 412U);
  EXPECT_THAT(late.body, HasSubstr("read it again"));
  EXPECT_THAT(Get("/q").body, HasSubstr("<UserMetadata>first<"));
  EXPECT_EQ(Update("/q", mine, Get("/q").Field("ETag")).status, 200U);
  const std::string now = Get("/q").Field("ETag");
  EXPECT_NE(now, etag);
  EXPECT_EQ(Ask("DELETE", "/q", "", {{"If-Match", etag}}).status, 412U);
  EXPECT_EQ(Ask("DELETE", "/q", "", {{"If-Match", "\"other\", " + now}}).status, 200U);
  EXPECT_EQ(Put("/q", Queue()).status, 201U);
  EXPECT_EQ(Ask("DELETE", "/q", "", {{"If-Match", now}}).status, 412U);
  EXPECT_EQ(Ask("DELETE", "/q", "", {{"If-Match", "*"}}).status, 200U);
}

TEST_F(AtomHandlerTest, WhatIsFixedIsNotChanged) {  // EPR-31
  ASSERT_EQ(Put("/q", Queue("<RequiresSession>true</RequiresSession>")).status, 201U);

  const Heard refused = Update("/q", Queue("<RequiresSession>false</RequiresSession>"));
  EXPECT_EQ(refused.status, 400U);
  EXPECT_THAT(refused.body, HasSubstr("SubCode=40000"));
  EXPECT_THAT(refused.body, HasSubstr("requires_session"));
  EXPECT_EQ(Update("/q", Queue()).status, 200U);
}

TEST_F(AtomHandlerTest, RulesAreReplacedInPlace) {  // ATM-1, ATM-2, RUL-10, RUL-11, RUL-12
  ASSERT_EQ(Put("/t", Topic()).status, 201U);
  ASSERT_EQ(Put("/t/subscriptions/S", Subscription()).status, 201U);
  const std::string path = "/t/subscriptions/s/rules/";

  const Heard made = Put(path + "Red", SqlRule("color = 'red'"));
  EXPECT_EQ(made.status, 201U);
  EXPECT_THAT(made.body, HasSubstr("<Name>Red</Name>"));
  EXPECT_EQ(Put(path + "red", SqlRule("1=1")).status, 409U);
  EXPECT_EQ(Put(path + "bad", SqlRule("== 1")).status, 400U);
  EXPECT_EQ(Update(path + "none", SqlRule("1=1")).status, 404U);
  EXPECT_EQ(Update(path + "red", SqlRule("== 1")).status, 400U);
  EXPECT_EQ(Update(path + "red", SqlRule("color = 'blue'"), "\"other\"").status, 412U);
  EXPECT_EQ(Update(path + "red", SqlRule("color = 'blue'"), made.Field("ETag")).status, 200U);
  EXPECT_THAT(Get(path + "red").body, HasSubstr("color = 'blue'"));

  const Heard list = Get("/t/Subscriptions/s/Rules?$top=1&$skip=1");
  EXPECT_THAT(list.body, HasSubstr("<Name>Red</Name>"));
  EXPECT_THAT(list.body, Not(HasSubstr("$Default")));
  EXPECT_EQ(Ask("DELETE", path + "$default").status, 200U);
  EXPECT_EQ(Get(path + "$Default").status, 404U);
}

TEST_F(AtomHandlerTest, ListsComeInPages) {  // ATM-5
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(Put("/q" + std::to_string(i), Queue()).status, 201U);
    ASSERT_EQ(Put("/t" + std::to_string(i), Topic()).status, 201U);
    ASSERT_EQ(Put("/t0/Subscriptions/s" + std::to_string(i), Subscription()).status, 201U);
  }
  for (const std::string list :
       {"/$Resources/Queues", "/$resources/topics/", "/T0/subscriptions"}) {
    const Heard page = Get(list + "?$skip=2&%24top=2");
    EXPECT_EQ(page.type, "application/atom+xml;type=feed;charset=utf-8");
    EXPECT_THAT(page.body, HasSubstr("2</title>"));
    EXPECT_THAT(page.body, HasSubstr("3</title>"));
    EXPECT_THAT(page.body, Not(HasSubstr("1</title>")));
    EXPECT_THAT(page.body, Not(HasSubstr("4</title>")));
    EXPECT_THAT(page.body, HasSubstr("rel=\"next\""));
    EXPECT_THAT(page.body, HasSubstr("%24skip=4&amp;%24top=2"));
    EXPECT_THAT(Get(list + "?$skip=3&$top=2").body, Not(HasSubstr("next")));
    EXPECT_THAT(Get(list + "?$skip=5").body, Not(HasSubstr("<entry>")));
    EXPECT_EQ(Get(list + "?$top=100000").status, 200U);
    EXPECT_EQ(Get(list + "?$top=0").status, 400U);
    EXPECT_EQ(Get(list + "?$skip=-1").status, 400U);
    EXPECT_EQ(Put(list, Queue()).status, 405U);
  }
  EXPECT_EQ(Put("/$Resources/Queues", Queue()).Field("Allow"), "GET");
  EXPECT_EQ(Ask("POST", "/q0").Field("Allow"), "GET, PUT, DELETE");
  EXPECT_EQ(Get("/none/Subscriptions").status, 404U);
}

TEST_F(AtomHandlerTest, TheNamespaceIsShown) {  // ATM-6
  EXPECT_THAT(Get("/$namespaceinfo").body, HasSubstr("<NamespaceType>Messaging</NamespaceType>"));
}

// EPR-19, SEC-7
TEST_F(AtomHandlerTest, KeysAreShownToWhoManagesAndReplacedOnesAreNotBroughtBack) {
  const std::string key(40, 'k');
  ASSERT_EQ(Put("/q", Queue("<AuthorizationRules><AuthorizationRule><Rights><AccessRights>Send"
                            "</AccessRights></Rights><KeyName>mine</KeyName><PrimaryKey>" +
                            key + "</PrimaryKey></AuthorizationRule></AuthorizationRules>"))
                .status,
            201U);
  const Heard read = Get("/q");
  EXPECT_THAT(read.body, HasSubstr(key));

  const auto rotated = engine_.Await<AccessRuleInfo>([&](Answer<AccessRuleInfo> answer) {
    engine_.broker().requests().Ask({.is_door_itself = true},
                                    RotateAccessKeyRequest{.path = "q", .name = "mine"},
                                    std::move(answer));
  });
  ASSERT_TRUE(rotated.ok());
  const Heard given_back = Update("/q", read.body);

  EXPECT_EQ(given_back.status, 200U);
  EXPECT_THAT(given_back.body, HasSubstr("<KeyName>mine</KeyName>"));
  EXPECT_THAT(given_back.body, Not(HasSubstr(key)));
  // A new one is taken in its place.
  const std::string fresh(40, 'f');
  const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_THAT(Update("/q", replaced(read.body, key, fresh)).body,
              HasSubstr("<PrimaryKey>" + fresh + "</PrimaryKey>"));
  EXPECT_THAT(Update("/q", read.body).body, HasSubstr("<PrimaryKey>" + fresh + "</PrimaryKey>"));
  const Heard wrong = Update("/q", replaced(read.body, key, "short"));
  EXPECT_EQ(wrong.status, 400U);
  EXPECT_THAT(wrong.body, HasSubstr("a key has 32 to 256 printable characters"));
  EXPECT_THAT(Get("/q").body, HasSubstr(fresh));
  EXPECT_THAT(Update("/q", Queue()).body, HasSubstr("<KeyName>mine</KeyName>"));
  EXPECT_THAT(Update("/q", Queue("<AuthorizationRules/>")).body, Not(HasSubstr("KeyName")));
}

TEST_F(AtomHandlerTest, WhoMayNotHearsNothingOfWhatIsThere) {  // SEC-20
  ASSERT_EQ(Put("/q", Queue()).status, 201U);
  permit_ = PermitOf("q", Right::kListen);
  for (const char* path : {"/q", "/none", "/$Resources/Queues", "/$namespaceinfo"}) {
    EXPECT_EQ(Get(path).status, 401U) << path;
  }
  permit_ = nullptr;
  EXPECT_EQ(Get("/q").status, 401U);
}

TEST_F(AtomHandlerTest, ForwardingTakesATokenForTheTarget) {  // FWD-6, ATM-9
  ASSERT_EQ(Put("/q", Queue()).status, 201U);
  ASSERT_EQ(Put("/target", Queue()).status, 201U);
  const std::string token = TokenOf("target", Right::kManage);
  const std::string to = "<ForwardTo>sb://h:8443/target</ForwardTo>";
  const std::string dead = "<ForwardDeadLetteredMessagesTo>target</ForwardDeadLetteredMessagesTo>";
  permit_ = PermitOf("q", Right::kManage);
  const auto update = [&](const std::string& what, const char* header) {
    return Put("/q", Queue(what), {{"If-Match", "*"}, {header, token}});
  };

  EXPECT_EQ(update(to, "other").status, 401U);
  EXPECT_EQ(update(dead, "ServiceBusDlqSupplementaryAuthorization").status, 200U);
  const Heard forwarded = update(to, "ServiceBusSupplementaryAuthorization");
  EXPECT_EQ(forwarded.status, 200U);
  EXPECT_THAT(forwarded.body, HasSubstr("<ForwardTo>sb://h:8443/target</ForwardTo>"));
  permit_ = PermitOf("", Right::kManage);
  EXPECT_EQ(Put("/more", Queue("<ForwardTo>none</ForwardTo>")).status, 404U);
}

TEST_F(AtomHandlerTest, WhatIsNoEntryIsRefused) {
  for (const std::string& body :
       {std::string(), std::string("{}"), std::string("<!DOCTYPE a><a/>"), SqlRule("1=1"),
        Entry("OtherDescription", ""), Queue("<LockDuration>P9999999999D</LockDuration>")}) {
    EXPECT_EQ(Put("/q", body).status, 400U) << body;
  }
  EXPECT_EQ(Put("/bad*name", Queue()).status, 400U);
  ASSERT_EQ(Put("/t", Topic()).status, 201U);
  EXPECT_EQ(Put("/t/Subscriptions/" + std::string(51, 's'), Subscription()).status, 400U);
  EXPECT_EQ(Get("/q").status, 404U);
}

TEST_F(AtomHandlerTest, WhatIsNotKnownIsKeptAndGivenBack) {  // EPR-24, EPR-30
  const std::string unknown =
      "<New xmlns:x=\"urn:x\" x:a=\"1\"> b<x:C/></New><LockDuration "
      "xmlns=\"urn:mine\">1</LockDuration>";
  const Heard made = Put("/q", Queue("<MaxDeliveryCount>3</MaxDeliveryCount>" + unknown));
  EXPECT_EQ(made.status, 201U);
  EXPECT_THAT(made.body, HasSubstr(unknown + "</QueueDescription>"));
  ASSERT_EQ(Put("/other", Queue()).status, 201U);
  engine_.Restart();
  EXPECT_THAT(Get("/q").body, HasSubstr(unknown + "</QueueDescription>"));
  EXPECT_THAT(Get("/other").body, Not(HasSubstr("New")));
  EXPECT_THAT(Get("/$Resources/Queues").body, HasSubstr(unknown + "</QueueDescription>"));

  const Heard given_back = Update("/q", Get("/q").body);
  EXPECT_EQ(given_back.status, 200U);
  EXPECT_THAT(given_back.body, HasSubstr(unknown + "</QueueDescription>"));
  const Heard other = Update("/q", Queue("<Newer/>"));
  EXPECT_THAT(other.body, HasSubstr("<Newer/></QueueDescription>"));
  const Heard without = Update("/q", Queue());
  EXPECT_THAT(without.body, Not(HasSubstr("New")));
  EXPECT_NE(without.Field("ETag"), other.Field("ETag"));
}

TEST_F(AtomHandlerTest, TooMuchThatIsNotKnownChangesNothing) {  // EPR-24
  const std::string much = "<New>" + std::string(kUnknownElementsBytesMax, 'x') + "</New>";
  ASSERT_EQ(Put("/q", Queue("<Old/>")).status, 201U);
  const Heard before = Get("/q");

  const Heard refused = Update("/q", Queue("<MaxDeliveryCount>3</MaxDeliveryCount>" + much));
  EXPECT_EQ(refused.status, 400U);
  EXPECT_THAT(refused.body, HasSubstr("SubCode=40000"));
  EXPECT_THAT(refused.body, HasSubstr("8192 bytes"));
  EXPECT_EQ(Get("/q").Field("ETag"), before.Field("ETag"));
  EXPECT_EQ(Put("/more", Queue(much)).status, 400U);
  EXPECT_EQ(Get("/more").status, 404U);
}

class AtomOlderMembersTest : public AtomHandlerTest {
 protected:
  AtomOlderMembersTest() : AtomHandlerTest([] { return may_keep_; }) {}
  void SetUp() override { may_keep_ = false; }

  static inline bool may_keep_ = true;
};

// An SDK gives back whatever it read; it must not be refused for that.
TEST_F(AtomOlderMembersTest, WhatTheyCouldNotReadIsNotKeptAndNotRefused) {  // EPR-24
  const Heard made = Put("/q", Queue("<New/><MaxDeliveryCount>3</MaxDeliveryCount>"));
  EXPECT_EQ(made.status, 201U);
  EXPECT_THAT(made.body, HasSubstr("<MaxDeliveryCount>3<"));
  EXPECT_THAT(made.body, Not(HasSubstr("New")));
  EXPECT_THAT(Update("/q", Queue("<New/>")).body, Not(HasSubstr("New")));
  EXPECT_THAT(Get("/q").body, Not(HasSubstr("New")));

  may_keep_ = true;
  EXPECT_THAT(Update("/q", Queue("<New/>")).body, HasSubstr("<New/>"));
}

// A version that could not stand in a link is not repeated.
TEST_F(AtomHandlerTest, LinksRepeatTheVersionThatWasAskedFor) {
  ASSERT_EQ(Put("/q", Queue()).status, 201U);

  EXPECT_THAT(Get("/q?API-Version=2016-07").body, HasSubstr("q?api-version=2016-07</id>"));
  EXPECT_THAT(Get("/q?api-version=%3Cb%3E").body, HasSubstr("q?api-version=2021-05</id>"));
}

}  // namespace
}  // namespace wharf::atom
