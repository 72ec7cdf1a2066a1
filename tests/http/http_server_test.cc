#include "broker/doors/http/http_server.h"

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/http/raw_client.h"

namespace wharf {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kGet[] = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n";
constexpr char kGetAndEnd[] = "GET /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

// Goes on by itself with each piece that is asked for.
class PacedClock {
 public:
  Duration Now() const { return Duration(now_.load()); }
  void Advance(Duration by) { now_ += by.count(); }

 private:
  std::atomic<Duration::rep> now_ = 0;
};

Router SampleRouter(PacedClock& clock) {
  Router router;
  router.Add("/hello", [](const HttpRequest&) { return TextResponse(200, "hello"); });
  router.Add("/pieces", [](const HttpRequest&) {
    return HttpResponse{.pieces = [count = 0]() mutable {
      return ++count > 3 ? "" : "piece " + std::to_string(count) + '\n';
    }};
  });
  router.Add("/paced", [&clock](const HttpRequest&) {
    return HttpResponse{.pieces = [&clock, count = 0]() mutable {
      clock.Advance(std::chrono::seconds(9));
      return ++count > 20 ? "" : "piece " + std::to_string(count) + '\n';
    }};
  });
  router.Add("/cut", [](const HttpRequest& request) {
    return HttpResponse{.pieces = [cut_off = request.cut_off] {
      cut_off();
      return std::string("x");
    }};
  });
  router.Add("/endless", [](const HttpRequest&) {
    return HttpResponse{.pieces = [] { return std::string(1 << 20, 'x'); }};
  });
  router.Add("/who", [](const HttpRequest& request) {
    return TextResponse(request.is_of_known_client ? 200 : 401,
                        request.authorization + " of " + request.peer);
  });
  return router;
}

class HttpServerTest : public ::testing::Test {
 protected:
  void Start(const HttpLimits& limits, bool knows_its_clients = true) {
    std::vector<Doorway> doorways;
    doorways.push_back({.listener = *Listener::Bind(
                            {.endpoint = {asio::ip::make_address("127.0.0.1"), 0}}, 1 << 16),
                        .knows_its_clients = knows_its_clients});
    port_ = doorways.front().listener->port();
    server_ = std::make_unique<HttpServer>(limits, SampleRouter(clock_), HostCheck({}),
                                           [this] { return clock_.Now(); });
    ASSERT_TRUE(server_->Listen(std::move(doorways)).ok());
  }
  void SetUp() override { Start({}); }

  RawClient Connect() const { return RawClient(port_); }
  std::string Ask(const std::string& bytes) const { return Connect().Ask(bytes); }

  PacedClock clock_;
  int port_ = 0;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, AnAnswerHasALengthAndTheRightHeaders) {
  const std::string heard = Ask(kGetAndEnd);

  EXPECT_THAT(heard, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(heard, HasSubstr("\r\nContent-Length: 6\r\n"));
  EXPECT_THAT(heard, HasSubstr("\r\nCache-Control: no-store\r\n"));
  EXPECT_THAT(heard, HasSubstr("\r\nX-Content-Type-Options: nosniff\r\n"));
  EXPECT_THAT(heard, EndsWith("\r\n\r\nhello\n"));
}

TEST_F(HttpServerTest, RequestsThatComeTogetherAreAnsweredInOrder) {
  const std::string heard =
      Ask(std::string(kGet) + "GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n" + kGetAndEnd);

  const std::size_t second = heard.find("HTTP/1.1 404");
  EXPECT_THAT(heard, StartsWith("HTTP/1.1 200"));
  ASSERT_NE(second, std::string::npos);
  EXPECT_NE(heard.find("HTTP/1.1 200", second), std::string::npos);
}

TEST_F(HttpServerTest, PiecesAreChunksOrTheEndOfTheConnection) {
  const std::string rest = " /pieces?x=1 HTTP/1.1\r\nHost: [::1]:1\r\nConnection: close\r\n\r\n";
  EXPECT_THAT(Ask("GET" + rest), EndsWith("\r\n\r\n8\r\npiece 1\n\r\n8\r\npiece 2\n\r\n8\r\npiece 3"
                                          "\n\r\n0\r\n\r\n"));
  EXPECT_THAT(Ask("HEAD" + rest), EndsWith("\r\n\r\n"));
  EXPECT_THAT(Ask("GET /pieces HTTP/1.0\r\n\r\n"), EndsWith("\r\n\r\npiece 1\npiece 2\npiece 3\n"));
}

TEST_F(HttpServerTest, AHeadHasNoBody) {
  const std::string heard =
      Ask("HEAD /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(heard, HasSubstr("Content-Length: 6\r\n"));
  EXPECT_THAT(heard, EndsWith("\r\n\r\n"));
}

TEST_F(HttpServerTest, WhatIsNoRequestIsRefusedWithAReason) {
  const auto status = [this](const std::string& bytes) { return Ask(bytes).substr(9, 3); };
  EXPECT_EQ(status("nonsense\r\n\r\n"), "400");
  EXPECT_EQ(status("\x16\x03\x01\x02\x01\x03\x03\r\n\r\n"), "400");
  EXPECT_EQ(status("GET /hello HTTP/1.1\r\n\r\n"), "400");
  EXPECT_EQ(status("GET /hello HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n"), "400");
  EXPECT_EQ(status("GET http://localhost/hello HTTP/1.1\r\nHost: elsewhere\r\n\r\n"), "400");
  EXPECT_EQ(status("GET /hello HTTP/1.1\r\nHost: localhost\r\nAuthorization: a\r\n"
                   "Authorization: a\r\n\r\n"),
            "400");
  EXPECT_EQ(status("OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n"), "400");
  EXPECT_EQ(status("GET /hello HTTP/1.1\r\nHost: evil.example\r\n\r\n"), "403");
  EXPECT_EQ(status("GET /hello HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n"),
            "403");
  EXPECT_EQ(status("GET /hello HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(20'000, 'x') +
                   "\r\n\r\n"),
            "431");
  EXPECT_EQ(status("GET /" + std::string(1'000'000, 'x')), "431");
  EXPECT_EQ(status("POST /hello HTTP/1.1\r\nHost: localhost\r\nContent-Length: 70000\r\n\r\n"),
            "413");
  EXPECT_EQ(status("POST /hello HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n"), "400");
  const std::string chunked =
      "POST /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
      "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(status(chunked + "5\r\nhello\r\n0\r\n\r\n"), "405");
  EXPECT_EQ(status(chunked + "zz\r\nhello\r\n"), "400");
  EXPECT_EQ(status(chunked + "fffffffffffffffff\r\n"), "400");
  EXPECT_EQ(status(chunked + "ffffff\r\n" + std::string(100'000, 'x')), "413");
}

// What the parser has no room for, wherever it stands.
TEST_F(HttpServerTest, AFieldThatIsTooLongEndsItsConnectionAndNothingElse) {
  Start({.header_bytes_max = 256 * 1024});
  const auto status = [this](const std::string& bytes) { return Ask(bytes).substr(9, 3); };
  const auto field = [](std::size_t bytes) { return "X: " + std::string(bytes, 'x') + "\r\n"; };
  const std::string get = "GET /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
  EXPECT_EQ(status(get + field(65'600) + "\r\n"), "431");
  EXPECT_EQ(status(get + field(64'000) + field(64'000) + "\r\n"), "200");
  const std::string post = "POST" + get.substr(3) + "Transfer-Encoding: chunked\r\n\r\n0\r\n";
  EXPECT_EQ(status(post + field(65'600) + "\r\n"), "431");
  EXPECT_EQ(status(post + field(100) + "\r\n"), "405");
}

TEST_F(HttpServerTest, AHandlerHearsWhoAsksAndWhere) {
  const std::string ask =
      "GET /who HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic eA==\r\nConnection: "
      "close\r\n\r\n";
  EXPECT_THAT(Ask(ask),
              ::testing::AllOf(StartsWith("HTTP/1.1 200"),
                               ::testing::ContainsRegex("Basic eA== of 127.0.0.1:[0-9]+\n$"),
                               ::testing::Not(HasSubstr("WWW-Authenticate"))));

  Start({}, /*knows_its_clients=*/false);

  EXPECT_THAT(Ask(ask), ::testing::AllOf(StartsWith("HTTP/1.1 401"),
                                         HasSubstr("\r\nWWW-Authenticate: Basic realm=\"wharf\"")));
}

TEST_F(HttpServerTest, HalfARequestEndsWithoutAnAnswer) {
  RawClient client = Connect();
  client.Say("GET /hello HT");
  client.EndSaying();
  EXPECT_EQ(client.HearAll(), "");
}

// Each piece in time, and so many of them that a place would be held for minutes.
TEST_F(HttpServerTest, AnAnswerAsAWholeHasATime) {
  Start({});
  const std::string heard =
      Ask("GET /paced HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");

  EXPECT_THAT(heard, EndsWith("piece 6\n\r\n"));  // After 60 s it is over, without a last chunk.
}

TEST_F(HttpServerTest, TheTimeOfAnAnswerEndsAPieceThatIsOnItsWay) {
  Start({.answer_max = milliseconds(50)});
  RawClient client = Connect();
  client.ReadLittle();
  client.Say("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n");

  while (server_->connections() > 0) std::this_thread::yield();
}

TEST_F(HttpServerTest, AHandlerMayEndAConnection) {
  EXPECT_THAT(Ask("GET /cut HTTP/1.1\r\nHost: localhost\r\n\r\n"), Not(HasSubstr("0\r\n\r\n")));
}

TEST_F(HttpServerTest, WhoIsSlowIsCutOff) {
  Start({.idle_max = milliseconds(50),
         .head_max = milliseconds(50),
         .body_max = milliseconds(50),
         .write_max = milliseconds(50)});

  EXPECT_EQ(Ask(""), "");                                  // Asks nothing.
  EXPECT_EQ(Ask("GET /hello HTTP/1.1\r\nHost: loc"), "");  // Never comes to an end.
  RawClient body = Connect();
  body.Say("POST /hello HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhel");
  EXPECT_EQ(body.HearAll(), "");
}

TEST_F(HttpServerTest, WhoDoesNotReadIsCutOff) {
  Start({.write_max = milliseconds(50)});
  RawClient client = Connect();
  client.ReadLittle();
  client.Say("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n");

  while (server_->connections() > 0) std::this_thread::yield();
}

TEST_F(HttpServerTest, ThousandsThatAskNothingLeaveRoomForOneWhoDoes) {
  Start({.connections_max = 20});
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 2000; ++i) idle.push_back(std::make_unique<RawClient>(port_));
  // In the midst of the rush, while those that end take their moment, new ones may be refused.
  while (server_->accepted() < 2000u || server_->connections() > 20u) std::this_thread::yield();

  EXPECT_THAT(Ask(kGetAndEnd), EndsWith("hello\n"));
  EXPECT_LE(server_->connections(), 40u);
  EXPECT_EQ(server_->accepted(), 2001u);
}

TEST_F(HttpServerTest, TheEndDoesNotWaitForAnybody) {
  RawClient idle = Connect();
  RawClient half = Connect();
  half.Say("GET /hello");
  RawClient endless = Connect();
  endless.ReadLittle();
  endless.Say("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n");

  server_->Stop();

  EXPECT_EQ(server_->connections(), 0u);
  EXPECT_EQ(idle.HearAll(), "");
}

TEST_F(HttpServerTest, ManyAtATimeAreEachAnswered) {
  std::vector<std::future<int>> askers;
  for (int i = 0; i < 8; ++i) {
    askers.push_back(std::async(std::launch::async, [this] {
      int answered = 0;
      for (int j = 0; j < 50; ++j) answered += Ask(kGetAndEnd).ends_with("hello\n") ? 1 : 0;
      return answered;
    }));
  }
  for (auto& asker : askers) EXPECT_EQ(asker.get(), 50);
}

}  // namespace
}  // namespace wharf
