// From a request to a call and back, with the gRPC door played by the test.
#include "broker/doors/http/console/console_service.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <wharf/v1/messaging.pb.h>

#include "broker/access/access_rule.h"
#include "broker/doors/http/console/page_files.h"
#include "tests/harness/engine_harness.h"

namespace wharf::console {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const char kKey[] = "0123456789abcdef0123456789abcdef";

// Keeps what it is asked, for the test to answer.
class Desk final : public InnerCalls {
 public:
  struct Asked {
    Call call;
    Done done;
    bool is_cancelled = false;
  };

  Cancel Begin(Call call, Done done) override {
    auto asked = std::make_shared<Asked>(Asked{std::move(call), std::move(done)});
    asked_.push_back(asked);
    return [weak = std::weak_ptr<Asked>(asked)] {
      if (const auto still = weak.lock()) still->is_cancelled = true;
    };
  }
  std::unique_ptr<Stream> Open(Call /*call*/, StreamEvents /*events*/) override { return nullptr; }
  std::vector<std::shared_ptr<Asked>> asked_;
};

struct Heard {
  std::optional<HttpResponse> response;
  std::function<void()> gone;
};

class Reply final : public HttpReply {
 public:
  explicit Reply(std::shared_ptr<Heard> heard) : heard_(std::move(heard)) {}
  void Answer(HttpResponse response) override { heard_->response = std::move(response); }
  void OnGone(std::function<void()> gone) override { heard_->gone = std::move(gone); }

 private:
  const std::shared_ptr<Heard> heard_;
};

class ConsoleServiceTest : public ::testing::Test {
 protected:
  ConsoleServiceTest() {
    gate_.Open({engine_.broker().requests(), clock_, [] { return BrokerStatistics(); }, &guard_});
  }

  static HttpRequest Post(const std::string& path, std::string authorization = "") {
    return {.method = "POST",
            .path = "/api/v1/" + path,
            .host = "localhost",
            .authorization = std::move(authorization),
            .fields = {{"X-Wharf-Request", "1"}},
            .peer = "10.0.0.1:5000"};
  }
  // Its answer may come later.
  std::shared_ptr<Heard> Ask(HttpRequest head, std::string body = "") {
    auto heard = std::make_shared<Heard>();
    HttpService::Begun begun = service_.Begin(std::move(head));
    if (begun.refused) {
      heard->response = std::move(begun.refused);
    } else {
      std::move(begun.go_on)(std::move(body), std::make_shared<Reply>(heard));
    }
    return heard;
  }
  static json ErrorOf(const Heard& heard) {
    return heard.response ? json::parse(heard.response->body)["error"] : json();
  }
  std::shared_ptr<Heard> SignIn(const std::string& key, const std::string& peer = "10.0.0.1:1") {
    HttpRequest head = Post("session");
    head.peer = peer;
    return Ask(head, json{{"keyName", "root"}, {"key", key}}.dump());
  }
  std::string Session() {
    return "Session " + json::parse(SignIn(kKey)->response->body)["session"].get<std::string>();
  }
  void PublishRule(const std::string& key) {
    const access::AccessRule rule("root", access::Right::kManage, key, std::string(40, 's'), {});
    guard_.Publish(std::make_shared<const access::Book>(access::Book().With("", rule)));
  }

  EngineHarness engine_;
  ClockControl clock_{engine_.broker().requests(), nullptr};
  access::Guard guard_{
      std::make_shared<const access::Book>(access::Book().With(
          "", access::AccessRule("root", access::Right::kManage, kKey, std::string(40, 's'), {}))),
      [] { return Timestamp(std::chrono::hours(1)); }};
  Duration now_ = std::chrono::hours(1);
  CallGate gate_{Status::NotOwned("n2:5681", "n2 leads")};
  CallGate cluster_gate_{{ErrorCode::kServiceCommunicationProblem, "not yet"}};
  bool takes_part_ = false;
  Desk desk_;
  bool has_room_ = true;
  // Long answers that are expected.
  std::int64_t room_for_ = std::int64_t{1} << 40;
  Sessions sessions_{{}, access::SystemKeys(), [this] { return now_; }};
  SignInPace pace_{[this] { return now_; }};
  HttpCounts counts_;
  ConsoleService service_{
      {.gate = gate_,
       .cluster_gate = [this] { return takes_part_ ? &cluster_gate_ : nullptr; },
       .calls = [this] { return &desk_; },
       .sessions = sessions_,
       .pace = pace_,
       .counts = counts_,
       .aside = [](Work work) { std::move(work)(); },
       .has_room = [this](std::int64_t more) { return has_room_ && more <= room_for_; }},
      HostCheck({}),
      "1.0"};
};

TEST_F(ConsoleServiceTest, ACallHasItsClientsAddressAndPermitAndItsAnswerIsJson) {
  const auto heard = Ask(Post("Messaging/Send", Session()), R"({"entityPath": "q"})");

  ASSERT_EQ(desk_.asked_.size(), 1U);
  Desk::Asked& asked = *desk_.asked_[0];
  EXPECT_EQ(asked.call.method, "/wharf.v1.Messaging/Send");
  EXPECT_EQ(asked.call.caller.peer, "10.0.0.1:5000");
  ASSERT_NE(asked.call.caller.permit, nullptr);
  EXPECT_EQ(asked.call.caller.permit->rule, "root");
  EXPECT_TRUE(asked.call.caller.patience.has_value());
  v1::SendRequest request;
  ASSERT_TRUE(request.ParseFromString(asked.call.request));
  EXPECT_EQ(request.entity_path(), "q");
  EXPECT_FALSE(heard->response);

  v1::SendResponse response;
  response.add_results()->set_sequence_number(7);
  std::move(asked.done)({.response = response.SerializeAsString()});

  EXPECT_EQ(heard->response->status, 200U);
  EXPECT_EQ(json::parse(heard->response->body)["results"][0]["sequenceNumber"], "7");
}

TEST_F(ConsoleServiceTest, WhoHasProvenNothingIsHeardBeforeItsBody) {
  EXPECT_EQ(Ask(Post("Messaging/Send"))->response->status, 401U);
  EXPECT_EQ(Ask(Post("Messaging/Send", "Session abc"))->response->status, 401U);
  EXPECT_EQ(Ask(Post("Messaging/Send", "SharedAccessSignature sr=x"))->response->status, 401U);
  EXPECT_EQ(desk_.asked_.size(), 0U);
}

TEST_F(ConsoleServiceTest, AClientThatGoesEndsItsCall) {
  const auto heard = Ask(Post("Messaging/Receive", Session()));
  heard->gone();
  EXPECT_TRUE(desk_.asked_[0]->is_cancelled);
}

TEST_F(ConsoleServiceTest, TheBrokerIsHeldUntilTheAnswerHasLeft) {
  const std::string session = Session();
  ASSERT_TRUE(gate_.WaitUntilNone(Duration(0)));
  const auto heard = Ask(Post("Messaging/Send", session));
  std::move(desk_.asked_[0]->done)({});
  desk_.asked_.clear();

  EXPECT_FALSE(gate_.WaitUntilNone(Duration(0)));
  std::move(heard->response->written)();
  heard->response.reset();
  EXPECT_TRUE(gate_.WaitUntilNone(Duration(0)));
}

TEST_F(ConsoleServiceTest, CallsHaveABoundAndPlacesComeBack) {
  const std::string session = Session();
  for (int i = 0; i < ConsoleService::kCallsMax; ++i) Ask(Post("Messaging/Receive", session));

  const auto busy = Ask(Post("Messaging/Receive", session));
  EXPECT_EQ(busy->response->status, 503U);
  EXPECT_EQ(ErrorOf(*busy)["code"], "ServiceBusy");
  std::move(desk_.asked_[0]->done)({});
  desk_.asked_.erase(desk_.asked_.begin());
  EXPECT_FALSE(Ask(Post("Messaging/Receive", session))->response);
}

TEST_F(ConsoleServiceTest, WhereAnswersLieUnreadNothingIsBegun) {
  const std::string session = Session();
  has_room_ = false;
  EXPECT_EQ(Ask(Post("Messaging/Receive", session))->response->status, 503U);
  EXPECT_EQ(desk_.asked_.size(), 0U);
}

TEST_F(ConsoleServiceTest, LongAnswersAreReckonedWithBeforeTheyAreThere) {
  const std::string session = Session();
  room_for_ = std::int64_t{4} << 20;
  Ask(Post("Messaging/Peek", session));
  Ask(Post("Messaging/TraceMessage", session));
  EXPECT_EQ(Ask(Post("Management/ListQueues", session))->response->status, 503U);
  EXPECT_EQ(desk_.asked_.size(), 2U);
  EXPECT_FALSE(Ask(Post("Messaging/Send", session))->response) << "its answer is short";

  std::move(desk_.asked_[0]->done)({});
  desk_.asked_.erase(desk_.asked_.begin());
  EXPECT_FALSE(Ask(Post("Messaging/PeekBody", session))->response);
}

TEST_F(ConsoleServiceTest, RequestsAreCountedByKindAndStatus) {
  const std::string session = Session();
  const auto count = [this](ConsoleKind kind, unsigned status) {
    return counts_.Read(static_cast<std::size_t>(kind), status);
  };
  EXPECT_EQ(count(ConsoleKind::kSession, 201), 1U);
  Ask(Post("Messaging/Send", session));
  EXPECT_EQ(service_.open_calls(), 1);
  EXPECT_EQ(count(ConsoleKind::kCall, 200), 0U) << "it is under way";
  std::move(desk_.asked_[0]->done)({});
  desk_.asked_.clear();
  EXPECT_EQ(service_.open_calls(), 0);
  EXPECT_EQ(count(ConsoleKind::kCall, 200), 1U);
  Ask(Post("Messaging/Send", session), "x");
  EXPECT_EQ(count(ConsoleKind::kCall, 400), 1U);
  Ask(Post("Messaging/Send"));
  EXPECT_EQ(count(ConsoleKind::kRefused, 401), 1U);
}

TEST_F(ConsoleServiceTest, TheDocumentLeavesInPiecesAndWhereThereIsRoom) {
  const HttpRequest head{.method = "GET", .path = "/api/v1/openapi.json", .host = "localhost"};
  const auto heard = Ask(head);
  ASSERT_EQ(heard->response->status, 200U);
  EXPECT_EQ(heard->response->body, "");
  std::string whole;
  for (std::string piece = heard->response->pieces(); !piece.empty();
       piece = heard->response->pieces()) {
    EXPECT_LE(piece.size(), 16U * 1024);
    whole += piece;
  }
  EXPECT_TRUE(json::parse(whole).contains("openapi"));

  has_room_ = false;
  EXPECT_EQ(Ask(head)->response->status, 503U);
}

// Who has proven nothing holds a connection for a moment only.
TEST_F(ConsoleServiceTest, WhoSignsInHasLittleTime) {
  HttpRequest head = Post("session");
  head.fields.emplace_back("Content-Length", "10");
  EXPECT_EQ(service_.Begin(head).body_max, std::chrono::seconds(5));
  EXPECT_FALSE(service_.Begin(Post("Messaging/Send", Session())).body_max);
}

TEST_F(ConsoleServiceTest, ThePageIsForAnybodyButForNoOtherHostOrOrigin) {
  HttpRequest head{.method = "GET", .path = "/", .host = "localhost"};
  const unsigned there = PageFiles().empty() ? 404 : 200;
  EXPECT_EQ(Ask(head)->response->status, there);
  gate_.Close({ErrorCode::kServiceCommunicationProblem, "not yet"});
  EXPECT_EQ(Ask(head)->response->status, there);
  EXPECT_EQ(counts_.Read(static_cast<std::size_t>(ConsoleKind::kPage), there), 2U);

  head.host = "evil.example";
  EXPECT_EQ(Ask(head)->response->status, 403U);
  head.host = "localhost";
  head.origin = "http://evil.example";
  EXPECT_EQ(Ask(head)->response->status, 403U);
  head.origin = "";
  head.method = "PUT";
  head.fields = {{"X-Wharf-Request", "1"}};
  EXPECT_EQ(Ask(head)->response->status, 405U);
  head.method = "GET";
  has_room_ = false;
  EXPECT_EQ(Ask(head)->response->status, 503U);
}

TEST_F(ConsoleServiceTest, BadJsonIsAnsweredWithoutACall) {
  const auto heard = Ask(Post("Messaging/Send", Session()), R"({"entityPath": 5})");
  EXPECT_EQ(heard->response->status, 400U);
  EXPECT_EQ(ErrorOf(*heard)["message"], "entityPath: this is a text, in quotes");
  EXPECT_EQ(desk_.asked_.size(), 0U);
}

TEST_F(ConsoleServiceTest, PathsAndVerbsThatThereAreNotAreToldApart) {
  const std::string session = Session();
  EXPECT_EQ(Ask(Post("Messaging/None", session))->response->status, 404U);
  EXPECT_EQ(Ask(Post("Messaging/SendStream", session))->response->status, 426U);
  HttpRequest head = Post("Messaging/Send", session);
  head.method = "GET";
  const auto heard = Ask(head);
  EXPECT_EQ(heard->response->status, 405U);
  EXPECT_EQ(*FindField(heard->response->fields, "Allow"), "POST");
}

HttpRequest Stream(const std::string& protocols, std::string authorization = "") {
  HttpRequest head{.method = "GET",
                   .path = "/api/v1/Messaging/SendStream",
                   .host = "localhost",
                   .authorization = std::move(authorization),
                   .fields = {{"Connection", "Upgrade"},
                              {"Upgrade", "websocket"},
                              {"Sec-WebSocket-Version", "13"},
                              {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}},
                   .peer = "10.0.0.1:5000"};
  if (!protocols.empty()) head.fields.emplace_back("Sec-WebSocket-Protocol", protocols);
  return head;
}

// A page can set no field of a WebSocket, but name what is to be spoken.
TEST_F(ConsoleServiceTest, AStreamIsBegunByWhoIsSignedInAndByNobodyElse) {
  const std::string session = Session();
  const std::string id = session.substr(std::string("Session ").size());

  EXPECT_EQ(service_.Begin(Stream("", session)).texts->protocol, "");
  EXPECT_EQ(service_.Begin(Stream("wharf.v1.json, wharf.session." + id)).texts->protocol,
            "wharf.v1.json");
  EXPECT_EQ(service_.Begin(Stream("wharf.v1.json")).refused->status, 401U);
  EXPECT_EQ(service_.Begin(Stream("wharf.v1.json, wharf.session.x" + id)).refused->status, 401U);
  EXPECT_EQ(service_.Begin(Stream("wharf.session." + id)).refused->status, 400U);
  HttpRequest foreign = Stream("", session);
  foreign.origin = "http://evil.example";
  EXPECT_EQ(service_.Begin(std::move(foreign)).refused->status, 403U);
}

TEST_F(ConsoleServiceTest, AStreamThatIsNoWebSocketHearsWhatItIsToBe) {
  HttpRequest head = Stream("", Session());
  head.fields.erase(head.fields.begin());
  const HttpService::Begun begun = service_.Begin(head);

  EXPECT_EQ(begun.refused->status, 426U);
  EXPECT_EQ(*FindField(begun.refused->fields, "Upgrade"), "websocket");
  EXPECT_EQ(*FindField(begun.refused->fields, "Sec-WebSocket-Version"), "13");
}

TEST_F(ConsoleServiceTest, AStreamTakesAPlaceOfACallAndGivesItBack) {
  const std::string session = Session();
  {
    const HttpService::Begun begun = service_.Begin(Stream("", session));
    EXPECT_EQ(service_.open_calls(), 1);
    EXPECT_FALSE(gate_.WaitUntilNone(Duration(0)));
  }
  EXPECT_EQ(service_.open_calls(), 0);
  EXPECT_TRUE(gate_.WaitUntilNone(Duration(0)));
  has_room_ = false;
  EXPECT_EQ(service_.Begin(Stream("", session)).refused->status, 503U);
}

TEST_F(ConsoleServiceTest, WithoutALeaderOnlyTheClusterIsAnsweredAndStrangersHearNotWhoLeads) {
  const std::string session = Session();
  gate_.SetGuardOfRefusals(&guard_);
  gate_.Close(Status::NotOwned("n2:5681", "n2 leads"));

  const auto known = Ask(Post("Messaging/Send", session));
  EXPECT_EQ(known->response->status, 503U);
  EXPECT_EQ(ErrorOf(*known)["leader"], "n2:5681");
  EXPECT_NE(FindField(known->response->fields, "Retry-After"), nullptr);
  const auto stranger = Ask(Post("Messaging/Send"));
  EXPECT_EQ(stranger->response->status, 503U);
  EXPECT_FALSE(ErrorOf(*stranger).contains("leader"));
  EXPECT_EQ(SignIn(kKey)->response->status, 503U);
}

// --- sign-in ---

TEST_F(ConsoleServiceTest, ASessionEndsWithItsKey) {
  const std::string session = Session();
  EXPECT_FALSE(Ask(Post("Messaging/Send", session))->response) << "it is asked";

  PublishRule(std::string(40, 'n'));

  EXPECT_EQ(Ask(Post("Messaging/Send", session))->response->status, 401U);
}

TEST_F(ConsoleServiceTest, WhoSignsOutIsOut) {
  const std::string session = Session();
  HttpRequest head = Post("session", session);
  head.method = "GET";
  const json who = json::parse(Ask(head)->response->body);
  EXPECT_EQ(who["rule"], "root");
  EXPECT_EQ(who["rights"], json({"Send", "Listen", "Manage"}));

  head.method = "DELETE";
  const auto out = Ask(head);
  EXPECT_EQ(out->response->status, 204U);
  EXPECT_EQ(FindField(out->response->fields, "Set-Cookie"), nullptr);
  EXPECT_EQ(Ask(Post("Messaging/Send", session))->response->status, 401U);
}

TEST_F(ConsoleServiceTest, OverTlsTheIdIsInTheCookieAlone) {
  HttpRequest head = Post("session");
  head.scheme = "https";
  const auto heard = Ask(head, json{{"keyName", "root"}, {"key", kKey}}.dump());

  ASSERT_EQ(heard->response->status, 201U);
  EXPECT_FALSE(json::parse(heard->response->body).contains("session"));
  const std::string* const cookie = FindField(heard->response->fields, "Set-Cookie");
  ASSERT_NE(cookie, nullptr);
  HttpRequest next = Post("Messaging/Send");
  next.scheme = "https";
  next.fields.emplace_back("Cookie", cookie->substr(0, cookie->find(';')));
  EXPECT_FALSE(Ask(next)->response);
  EXPECT_EQ(desk_.asked_.size(), 1U);
  next.scheme = "http";
  EXPECT_EQ(Ask(next)->response->status, 401U);

  HttpRequest end = next;
  end.path = head.path;
  end.method = "DELETE";
  end.scheme = "https";
  const auto out = Ask(end);
  EXPECT_EQ(out->response->status, 204U);
  const std::string* const ends = FindField(out->response->fields, "Set-Cookie");
  ASSERT_NE(ends, nullptr);
  EXPECT_THAT(*ends, HasSubstr("Max-Age=0"));
}

TEST_F(ConsoleServiceTest, FailuresSlowAnAddressDownEvenWithTheRightKey) {
  for (int i = 0; i < 4; ++i) EXPECT_EQ(SignIn("wrong")->response->status, 401U);

  const auto slowed = SignIn(kKey, "10.0.0.1:2");
  ASSERT_EQ(slowed->response->status, 429U);
  EXPECT_EQ(*FindField(slowed->response->fields, "Retry-After"), "1");
  EXPECT_EQ(SignIn(kKey, "10.0.0.2:1")->response->status, 201U) << "another address";
  now_ += std::chrono::seconds(1);
  EXPECT_EQ(SignIn(kKey)->response->status, 201U);
}

TEST_F(ConsoleServiceTest, WhatSignsInIsShortAndNothingElse) {
  for (
      const char* body :
      {"[]", "x", R"({"keyName": "root"})", R"({"keyName": 1, "key": "k"})",
       R"({"keyName": "root", "key": "k", "more": ""})",
       R"({"connectionString": "Endpoint=sb://h/"})",
       R"({"keyName": "reader", "connectionString": "Endpoint=sb://h/;SharedAccessKeyName=reader;SharedAccessKey=k"})"}) {
    const auto heard = Ask(Post("session"), body);
    EXPECT_EQ(heard->response->status, 400U) << body;
  }
  HttpRequest head = Post("session");
  head.fields.emplace_back("Content-Length", "16385");
  EXPECT_EQ(Ask(head)->response->status, 413U);
  head.fields.back() = {"Transfer-Encoding", "chunked"};
  EXPECT_EQ(Ask(head)->response->status, 413U);
}

TEST_F(ConsoleServiceTest, WhoHasProvenNothingSendsNothingLarge) {
  for (const char* method : {"GET", "POST", "DELETE"}) {
    for (const char* path : {"session", "openapi.json"}) {
      HttpRequest head = Post(path, "Session abc");
      head.method = method;
      head.fields.emplace_back("Content-Length", "1000000");
      EXPECT_EQ(Ask(head)->response->status, 413U) << method << path;
    }
  }
}

TEST_F(ConsoleServiceTest, NoAnswerRepeatsAKey) {
  const auto wrong = SignIn("the-secret-that-is-wrong");
  EXPECT_THAT(wrong->response->body, ::testing::Not(HasSubstr("the-secret")));
  const auto bad = Ask(Post("session"), R"({"key": "the-secret", "keyNam": "root"})");
  EXPECT_THAT(bad->response->body, ::testing::Not(HasSubstr("the-secret")));
  EXPECT_THAT(SignIn(kKey)->response->body, ::testing::Not(HasSubstr(kKey)));
}

}  // namespace
}  // namespace wharf::console
