// What a connection does for a service that answers later: bodies, waits, pieces, and who is gone.
#include "broker/doors/http/http_service.h"

#include <chrono>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/ip/address.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/doors/http/http_server.h"
#include "tests/http/raw_client.h"

namespace wharf {
namespace {

using std::chrono::milliseconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// What came to a service, which a test answers by hand.
class Desk {
 public:
  struct Asked {
    HttpRequest head;
    std::string body;
    HttpReplyPtr reply;
  };

  void Put(Asked asked) {
    const std::lock_guard lock(mutex_);
    asked_.push_back(std::move(asked));
    changed_.notify_all();
  }
  Asked Take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !asked_.empty(); });
    Asked first = std::move(asked_.front());
    asked_.erase(asked_.begin());
    return first;
  }
  void Note(const std::string& what) {
    const std::lock_guard lock(mutex_);
    notes_.push_back(what);
    changed_.notify_all();
  }
  std::string NextNote() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !notes_.empty(); });
    std::string first = std::move(notes_.front());
    notes_.erase(notes_.begin());
    return first;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Asked> asked_;
  std::vector<std::string> notes_;
};

// Notes when it goes, unless it was told before that it may.
class Held {
 public:
  explicit Held(Desk& desk) : desk_(desk) {}
  ~Held() { desk_.Note(is_heard_ ? "heard" : "unheard"); }
  void NoteHeard() { is_heard_ = true; }

 private:
  Desk& desk_;
  bool is_heard_ = false;
};

class DeskService final : public HttpService {
 public:
  explicit DeskService(Desk& desk) : desk_(desk) {}

  Begun Begin(HttpRequest head) override {
    if (head.path == "/refused") return {.refused = Refusal(401, "prove who you are")};
    if (head.path == "/broken") throw std::length_error("nobody has thought of it");
    Begun begun;
    if (head.path == "/cut") head.cut_off();
    if (head.path == "/soon") begun.body_max = std::chrono::milliseconds(50);
    begun.go_on = [this, head = std::move(head)](std::string body, HttpReplyPtr reply) {
      desk_.Put({head, std::move(body), std::move(reply)});
    };
    return begun;
  }
  HttpResponse Refusal(unsigned status, std::string_view why) override {
    return TextResponse(status, why);
  }

 private:
  Desk& desk_;
};

class HttpServiceTest : public ::testing::Test {
 protected:
  void Start(const HttpLimits& limits) {
    std::vector<Doorway> doorways;
    doorways.push_back(
        {.listener = *Listener::Bind({.endpoint = {boost::asio::ip::make_address("127.0.0.1"), 0}},
                                     1 << 16)});
    port_ = doorways.front().listener->port();
    server_ = std::make_unique<HttpServer>(limits, std::make_unique<DeskService>(desk_));
    ASSERT_TRUE(server_->Listen(std::move(doorways)).ok());
  }
  void SetUp() override { Start({}); }
  static std::string Post(const std::string& path, const std::string& fields,
                          const std::string& body) {
    return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n" + body;
  }
  HttpResponse Noted(unsigned status, std::string body) {
    HttpResponse response = TextResponse(status, body);
    response.written = [held = std::make_unique<Held>(desk_)] { held->NoteHeard(); };
    return response;
  }
  std::string StatusOf(const std::string& bytes) const {
    return RawClient(port_).Ask(bytes).substr(9, 3);
  }

  Desk desk_;
  int port_ = 0;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServiceTest, ABodyIsThereSoonerWhereItMustBe) {
  RawClient client(port_);
  client.Say(Post("/soon", "Content-Length: 10\r\n", "bo"));
  EXPECT_EQ(client.HearAll(), "");
}

TEST_F(HttpServiceTest, ABodyComesAsAWholeHoweverItWasSent) {
  RawClient client(port_);
  client.Say(Post("/a?b=c", "Content-Length: 5\r\nX-Case: Yes\r\n", "hello"));
  Desk::Asked asked = desk_.Take();
  EXPECT_EQ(asked.head.path, "/a");
  EXPECT_EQ(asked.head.query, "b=c");
  EXPECT_EQ(asked.body, "hello");
  ASSERT_NE(FindField(asked.head.fields, "x-case"), nullptr);
  EXPECT_EQ(asked.head.fields.back().first, "X-Case");
  asked.reply->Answer(TextResponse(201, "one"));
  EXPECT_THAT(client.HearUntil("one\n"), StartsWith("HTTP/1.1 201"));

  client.Say(Post("/a", "Transfer-Encoding: chunked\r\n", "3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n"));
  asked = desk_.Take();
  EXPECT_EQ(asked.body, "hello");
  asked.reply->Answer(TextResponse(201, "two"));
  EXPECT_THAT(client.HearUntil("two\n"), StartsWith("HTTP/1.1 201"));
}

TEST_F(HttpServiceTest, WhoExpectsToBeToldToGoOnIsTold) {
  RawClient client(port_);
  client.Say(Post("/a", "Content-Length: 5\r\nExpect: 100-continue\r\n", ""));
  EXPECT_EQ(client.HearUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Say("hello");
  const Desk::Asked asked = desk_.Take();
  asked.reply->Answer(TextResponse(201, asked.body));
  EXPECT_THAT(client.HearUntil("hello\n"), StartsWith("HTTP/1.1 201"));

  EXPECT_THAT(
      RawClient(port_).Ask(Post("/refused", "Content-Length: 5\r\nExpect: 100-continue\r\n", "")),
      StartsWith("HTTP/1.1 401"));
  EXPECT_EQ(StatusOf(Post("/a", "Content-Length: 5\r\nExpect: gold\r\n", "")), "417");
}

// Who may not ask is refused before a byte of the body is there.
// It may be cut off while it is told, or make room for another one.
TEST_F(HttpServiceTest, WhoIsCutOffIsAskedForNothing) {
  RawClient client(port_);
  client.Say(Post("/cut", "Content-Length: 0\r\nExpect: 100-continue\r\n", ""));
  client.HearAll();

  RawClient next(port_);
  next.Say(Post("/a", "Content-Length: 0\r\n", ""));
  const Desk::Asked asked = desk_.Take();
  EXPECT_EQ(asked.head.path, "/a");
  asked.reply->Answer(TextResponse(200, "done"));
  EXPECT_THAT(next.HearUntil("done\n"), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpServiceTest, WhatIsRefusedIsNotRead) {
  EXPECT_EQ(StatusOf(Post("/refused", "Content-Length: 60000\r\n", "")), "401");
}

// Whoever stands before us must not see other requests than we do.
TEST_F(HttpServiceTest, ARequestSaysItsLengthOnce) {
  const auto post = [this](const std::string& fields) {
    return StatusOf(Post("/a", fields, "0\r\n\r\nGET /b HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  };
  EXPECT_EQ(post("Content-Length: 5\r\nContent-Length: 6\r\n"), "400");
  EXPECT_EQ(post("Content-Length: 5\r\nContent-Length: 5\r\n"), "400");
  EXPECT_EQ(post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), "400");
  EXPECT_EQ(post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), "400");
  EXPECT_EQ(post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), "400");
  EXPECT_EQ(post("Transfer-Encoding: gzip, chunked\r\n"), "400");
  EXPECT_EQ(post("Transfer-Encoding: xchunked\r\n"), "400");
  EXPECT_EQ(post("Transfer-Encoding: identity\r\n"), "400");
  EXPECT_EQ(post("Transfer-Encoding : chunked\r\n"), "400");
  EXPECT_EQ(post("Content-Length: 5 5\r\n"), "400");
  EXPECT_EQ(post("Content-Length: +5\r\n"), "400");
  EXPECT_EQ(post("Content-Length: 99999999999999999999\r\n"), "400");
  EXPECT_EQ(StatusOf("POST /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), "400");
}

TEST_F(HttpServiceTest, AnAnswerMayComeLaterFromAnyThread) {
  RawClient client(port_);
  client.Say(Post("/a", "Content-Length: 0\r\n", ""));
  Desk::Asked asked = desk_.Take();
  std::thread([&] { asked.reply->Answer(Noted(200, "late")); }).join();
  asked = {};

  EXPECT_THAT(client.HearUntil("late\n"), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(desk_.NextNote(), "heard");
}

TEST_F(HttpServiceTest, WhoDropsAReplyHasAnswered) {
  RawClient client(port_);
  client.Say(Post("/a", "Content-Length: 0\r\nConnection: close\r\n", ""));
  desk_.Take();

  EXPECT_THAT(client.HearAll(), StartsWith("HTTP/1.1 500"));
}

TEST_F(HttpServiceTest, WhatFailsEndsItsConnectionAndNothingElse) {
  EXPECT_EQ(RawClient(port_).Ask(Post("/broken", "Content-Length: 0\r\n", "")), "");

  RawClient client(port_);
  client.Say(Post("/a", "Content-Length: 0\r\n", ""));
  HttpResponse response = Noted(200, "it has a field that cannot be kept");
  response.fields.emplace_back("x", std::string(70'000, 'x'));
  desk_.Take().reply->Answer(std::move(response));
  EXPECT_EQ(client.HearAll(), "");
  EXPECT_EQ(desk_.NextNote(), "unheard");

  RawClient other(port_);
  other.Say(Post("/a", "Content-Length: 0\r\n", ""));
  desk_.Take().reply->Answer(TextResponse(200, "all is well"));
  EXPECT_THAT(other.HearUntil("well\n"), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpServiceTest, AServiceHearsThatAClientHasGoneWhileItWaits) {
  RawClient client(port_);
  client.Say(Post("/a", "Content-Length: 0\r\n", ""));
  const Desk::Asked asked = desk_.Take();
  asked.reply->OnGone([this] { desk_.Note("gone"); });
  client.Leave();
  EXPECT_EQ(desk_.NextNote(), "gone");

  asked.reply->Answer(Noted(200, "too late"));
  EXPECT_EQ(desk_.NextNote(), "unheard");
}

TEST_F(HttpServiceTest, WhoAsksAfterAClientHasGoneHearsItAtOnce) {
  RawClient client(port_);
  client.Say(Post("/a", "Content-Length: 0\r\n", ""));
  const Desk::Asked asked = desk_.Take();
  client.Leave();
  asked.reply->OnGone([this] { desk_.Note("gone"); });

  EXPECT_EQ(desk_.NextNote(), "gone");
}

// It has asked for more, and hears none of it.
TEST_F(HttpServiceTest, AServiceHearsThatAClientHasGoneThatHadSentAhead) {
  Desk::Asked asked;
  {
    RawClient client(port_);
    client.Say(Post("/one", "Content-Length: 1\r\n", "1") + "POST /two HT");
    asked = desk_.Take();
    asked.reply->OnGone([this] { desk_.Note("gone"); });
  }

  EXPECT_EQ(desk_.NextNote(), "gone");
}

// In whatever pieces it comes, before and after the answer to what was before it.
TEST_F(HttpServiceTest, WhatIsSentAheadMayComeInPieces) {
  RawClient client(port_);
  const std::string two = Post("/two", "Content-Length: 3\r\n", "two");
  client.Say(Post("/one", "Content-Length: 1\r\n", "1") + two.substr(0, 7));
  const Desk::Asked first = desk_.Take();
  client.Say(two.substr(7, 9));
  first.reply->Answer(TextResponse(200, "first"));
  EXPECT_THAT(client.HearUntil("first\n"), StartsWith("HTTP/1.1 200"));
  client.Say(two.substr(16));
  EXPECT_EQ(desk_.Take().body, "two");
}

TEST_F(HttpServiceTest, ALengthIsOneNumber) {
  EXPECT_EQ(StatusOf(Post("/a", "Content-Length: 1, 1\r\n", "1")), "400");
  EXPECT_EQ(StatusOf(Post("/a", "Content-Length: +1\r\n", "1")), "400");
}

TEST_F(HttpServiceTest, WhatIsSentAheadIsAskedAfterwards) {
  RawClient client(port_);
  client.Say(Post("/one", "Content-Length: 1\r\n", "1") +
             Post("/two", "Content-Length: 1\r\n", "2"));
  Desk::Asked first = desk_.Take();
  EXPECT_EQ(first.body, "1");
  first.reply->Answer(TextResponse(200, "first"));
  EXPECT_THAT(client.HearUntil("first\n"), StartsWith("HTTP/1.1 200"));
  Desk::Asked second = desk_.Take();
  EXPECT_EQ(second.body, "2");
  // And while an answer is waited for.
  client.Say(Post("/three", "Content-Length: 1\r\n", "3"));
  second.reply->Answer(TextResponse(200, "second"));
  EXPECT_THAT(client.HearUntil("second\n"), HasSubstr("HTTP/1.1 200"));
  EXPECT_EQ(desk_.Take().body, "3");
}

HttpResponse Sourced(std::vector<std::string> pieces, bool fails = false) {
  HttpResponse response{.status = 200};
  for (const std::string& piece : pieces) response.source_bytes += piece.size();
  response.source = [pieces = std::move(pieces), fails,
                     next = std::size_t{0}](HttpGive give) mutable {
    std::thread([give = std::move(give), fails,
                 piece = next < pieces.size() ? pieces[next] : std::string()]() mutable {
      if (fails && piece.empty()) return std::move(give)(Status(ErrorCode::kGeneralError, "lost"));
      std::move(give)(std::move(piece));
    }).detach();
    ++next;
  };
  return response;
}

TEST_F(HttpServiceTest, PiecesMayComeFromElsewhere) {
  RawClient client(port_);
  client.Say(Post("/a", "Content-Length: 0\r\n", ""));
  desk_.Take().reply->Answer(Sourced({"hello ", "world"}));
  EXPECT_THAT(client.HearUntil("\r\n0\r\n\r\n"),
              EndsWith("\r\n\r\n6\r\nhello \r\n5\r\nworld\r\n0\r\n\r\n"));

  RawClient old(port_);
  old.Say("POST /a HTTP/1.0\r\nContent-Length: 0\r\n\r\n");
  desk_.Take().reply->Answer(Sourced({"hello ", "world"}));
  const std::string heard = old.HearAll();
  EXPECT_THAT(heard, HasSubstr("Content-Length: 11\r\n"));
  EXPECT_THAT(heard, EndsWith("\r\n\r\nhello world"));
}

TEST_F(HttpServiceTest, HalfAnAnswerPassesForNone) {
  RawClient client(port_);
  client.Say(Post("/a", "Content-Length: 0\r\n", ""));
  HttpResponse broken = Sourced({"hello"}, /*fails=*/true);
  broken.written = [held = std::make_unique<Held>(desk_)] { held->NoteHeard(); };
  desk_.Take().reply->Answer(std::move(broken));

  EXPECT_THAT(client.HearAll(), Not(HasSubstr("0\r\n\r\n")));
  EXPECT_EQ(desk_.NextNote(), "unheard");
}

// It needs what the server has until it is gone.
TEST_F(HttpServiceTest, AServerStopsWhenNobodyHasAConnectionAnyMore) {
  RawClient client(port_);
  client.Say(Post("/a", "Content-Length: 0\r\n", ""));
  HttpResponse response{.status = 200, .source_bytes = 5};
  std::promise<HttpGive> asked;
  response.source = [&](HttpGive give) { asked.set_value(std::move(give)); };
  desk_.Take().reply->Answer(std::move(response));
  HttpGive give = asked.get_future().get();

  std::future<void> stopped = std::async(std::launch::async, [&] { server_->Stop(); });
  EXPECT_THAT(client.HearAll(), EndsWith("\r\n\r\n"));
  EXPECT_EQ(stopped.wait_for(milliseconds(50)), std::future_status::timeout);
  std::move(give)(std::string("hello"));
  give = nullptr;
  stopped.get();
}

// It may go because it has what it asked for, and be noticed before the end of the writing is.
TEST_F(HttpServiceTest, WhoEndsWhileItIsAnsweredHearsItAll) {
  RawClient client(port_);
  client.Say(Post("/a", "Content-Length: 0\r\n", ""));
  HttpResponse response{.status = 200, .source_bytes = 5};
  std::promise<HttpGive> asked;
  response.source = [&, is_first = true](HttpGive give) mutable {
    if (std::exchange(is_first, false)) return asked.set_value(std::move(give));
    std::move(give)(std::string());
  };
  response.written = [held = std::make_unique<Held>(desk_)] { held->NoteHeard(); };
  desk_.Take().reply->Answer(std::move(response));
  HttpGive give = asked.get_future().get();

  client.EndSaying();
  // What comes behind that is read behind it.
  EXPECT_EQ(StatusOf(Post("/refused", "Content-Length: 0\r\n", "")), "401");
  std::move(give)(std::string("hello"));

  EXPECT_THAT(client.HearAll(), EndsWith("\r\n\r\n5\r\nhello\r\n0\r\n\r\n"));
  EXPECT_EQ(desk_.NextNote(), "heard");
}

TEST_F(HttpServiceTest, AnAnswerWithoutABodyHasNoLength) {
  RawClient client(port_);
  client.Say(Post("/a", "Content-Length: 0\r\nConnection: close\r\n", ""));
  desk_.Take().reply->Answer({.status = 204, .type = "", .fields = {{"X-Y", "z"}}});

  EXPECT_EQ(client.HearAll(), "HTTP/1.1 204 No Content\r\nX-Y: z\r\nConnection: close\r\n\r\n");
}

TEST_F(HttpServiceTest, SoManyRequestsEndAConnection) {
  Start({.requests_max = 2});
  RawClient client(port_);
  client.Say(Post("/a", "Content-Length: 0\r\n", ""));
  desk_.Take().reply->Answer(TextResponse(200, "first"));
  EXPECT_THAT(client.HearUntil("first\n"), Not(HasSubstr("close")));
  client.Say(Post("/a", "Content-Length: 0\r\n", ""));
  desk_.Take().reply->Answer(TextResponse(200, "second"));
  EXPECT_THAT(client.HearAll(), HasSubstr("Connection: close"));
}

// One who sends nothing of it holds what he has announced.
// What is there counts until it is answered; what is only promised takes no room from others.
TEST_F(HttpServiceTest, BodiesThatComeHaveABoundTogether) {
  Start({.body_bytes_max = 100'000, .incoming_bytes_max = 100'000});
  RawClient promises(port_);
  promises.Say(Post("/a", "Content-Length: 80000\r\nExpect: 100-continue\r\n", ""));
  EXPECT_THAT(promises.HearUntil("\r\n\r\n"), StartsWith("HTTP/1.1 100"));
  const std::string body(80'000, 'x');
  RawClient one(port_);
  one.Say(Post("/a", "Content-Length: 80000\r\n", body));
  const Desk::Asked asked = desk_.Take();

  EXPECT_EQ(StatusOf(Post("/a", "Content-Length: 80000\r\n", body)), "503");

  asked.reply->Answer(TextResponse(200, "done"));
  EXPECT_THAT(one.HearUntil("done\n"), StartsWith("HTTP/1.1 200"));
  promises.Say(body);
  desk_.Take().reply->Answer(TextResponse(200, "done"));
  EXPECT_THAT(promises.HearUntil("done\n"), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpServiceTest, WhoWaitsForAnAnswerIsNotIdle) {
  constexpr milliseconds kMax{250};
  Start({.idle_max = kMax, .head_max = kMax, .body_max = kMax});
  RawClient client(port_);
  client.Say(Post("/a", "Content-Length: 0\r\n", ""));
  const Desk::Asked asked = desk_.Take();
  const auto until = std::chrono::steady_clock::now() + 2 * kMax;
  while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
  asked.reply->Answer(TextResponse(200, "patient"));
  EXPECT_THAT(client.HearUntil("patient\n"), StartsWith("HTTP/1.1 200"));
  // And now it is.
  EXPECT_EQ(client.HearAll(), "");
}

TEST_F(HttpServiceTest, TheEndTellsThoseWhoWait) {
  RawClient client(port_);
  client.Say(Post("/a", "Content-Length: 0\r\n", ""));
  Desk::Asked asked = desk_.Take();
  asked.reply->OnGone([this] { desk_.Note("gone"); });
  std::thread stop([this] { server_->Stop(); });
  EXPECT_EQ(desk_.NextNote(), "gone");

  // Too late, and harmless.
  asked.reply->Answer(TextResponse(200, "late"));
  asked = {};
  stop.join();
}

}  // namespace
}  // namespace wharf
