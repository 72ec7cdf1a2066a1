// A WebSocket by its texts, with the bounds of HTTP, frame by frame.
#include "broker/doors/http/web_socket_messages.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/ip/address.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/doors/http/http_server.h"
#include "broker/doors/http/router.h"
#include "tests/http/frames.h"
#include "tests/http/raw_client.h"

namespace wharf {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Of those that have become WebSockets.
struct Counts {
  std::atomic<int> begun = 0;
  std::atomic<int> ended = 0;
};

// Answers each text by the same; ends when it is told to.
class TextEcho final : public std::enable_shared_from_this<TextEcho> {
 public:
  TextEcho(MessageSocketPtr socket, Counts& counts) : socket_(std::move(socket)), counts_(counts) {}
  ~TextEcho() { ++counts_.ended; }

  void Read() {
    socket_->Read([self = shared_from_this()](std::optional<std::string> text) {
      if (text) self->Answer(*std::move(text));
    });
  }

 private:
  void Answer(std::string text) {
    if (text == "enough") return socket_->Close(4003, "as you like");
    if (text == "much") text = std::string(8 << 20, 'm');
    socket_->Write(std::move(text), [self = shared_from_this()](bool is_written) {
      if (is_written) self->Read();
    });
  }

  const MessageSocketPtr socket_;
  Counts& counts_;
};

class TextService final : public HttpService {
 public:
  explicit TextService(Counts& counts) : counts_(counts) {}
  Begun Begin(HttpRequest /*head*/) override {
    return {.texts = Texts{"json", [this](MessageSocketPtr socket) {
                             std::make_shared<TextEcho>(std::move(socket), counts_)->Read();
                             ++counts_.begun;
                           }}};
  }
  HttpResponse Refusal(unsigned status, std::string_view why) override {
    return TextResponse(status, why);
  }

 private:
  Counts& counts_;
};

class WebSocketMessagesTest : public ::testing::Test {
 protected:
  void SetUp() override { Start({}); }
  void Start(const HttpLimits& limits) {
    std::vector<Doorway> doorways;
    doorways.push_back(
        {.listener = *Listener::Bind({.endpoint = {boost::asio::ip::make_address("127.0.0.1"), 0}},
                                     1 << 16)});
    port_ = doorways.front().listener->port();
    server_ = std::make_unique<HttpServer>(limits, std::make_unique<TextService>(counts_));
    ASSERT_TRUE(server_->Listen(std::move(doorways)).ok());
  }
  std::unique_ptr<RawClient> Enter() {
    auto client = std::make_unique<RawClient>(port_);
    client->Say(std::string(kUpgrade) + "\r\n");
    answer_ = client->HearUntil("\r\n\r\n");
    // The client may have its answer before the service has the socket.
    Await(counts_.begun, ++entered_);
    return client;
  }
  std::string Ask(const std::string& frames) { return Enter()->Ask(frames); }
  // One more has gone than before.
  void AwaitEnd(int count) const { Await(counts_.ended, count); }
  static void Await(const std::atomic<int>& counted, int count) {
    while (counted < count) std::this_thread::yield();
  }

  Counts counts_;
  int entered_ = 0;
  int port_ = 0;
  std::string answer_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(WebSocketMessagesTest, ATextIsAWholeInHoweverManyPiecesItComes) {
  const auto client = Enter();
  EXPECT_THAT(answer_, StartsWith("HTTP/1.1 101 "));
  EXPECT_THAT(answer_, HasSubstr("Sec-WebSocket-Protocol: json\r\n"));
  EXPECT_THAT(answer_, ::testing::Not(HasSubstr("Extensions")));

  client->Say(Piece(kText, "a") + Piece(kMore, "") + Frame(kPing, "p") + Frame(kMore, "b!") +
              Frame(kText, "") + Frame(kText, "c?"));

  EXPECT_EQ(client->HearUntil("?"), Said(kFinal | 10, "p") + Said(kFinal | kText, "ab!") +
                                        Said(kFinal | kText, "") + Said(kFinal | kText, "c?"));
}

TEST_F(WebSocketMessagesTest, WhatBreaksTheRulesHearsTheCodeOfIt) {
  EXPECT_EQ(Ask(Said(kFinal | kText, "unmasked")), Closed(1002));
  EXPECT_EQ(Ask(Frame(kReserved, "a")).substr(2, 2), Closed(1002).substr(2));
  EXPECT_EQ(Ask(Frame(kText, "\xff\xff") + Frame(kClose, "")).substr(2, 2), Closed(1007).substr(2));
  EXPECT_EQ(Ask(Frame(kBinary, "a") + Frame(kClose, "")).substr(2, 2), Closed(1003).substr(2));
  EXPECT_EQ(Ask(HeadOf(kFinal | kText, kWebSocketTextBytesMax + 1)).substr(2, 2),
            Closed(1009).substr(2));
}

TEST_F(WebSocketMessagesTest, AnEndIsToldByItsCodeAndReason) {
  const auto client = Enter();
  client->Say(Frame(kText, "enough"));
  EXPECT_EQ(client->HearUntil("like"), Said(kFinal | kClose,
                                            "\x0F\xA3"
                                            "as you like"));
  client->Say(Frame(kClose, "\x0F\xA3"));
  EXPECT_EQ(client->HearAll(), "");
  AwaitEnd(1);
}

TEST_F(WebSocketMessagesTest, ItStaysOneOfHttpsConnectionsAndGoesWithItsClient) {
  auto client = Enter();
  client->Say(Frame(kText, "a!"));
  client->HearUntil("!");
  EXPECT_EQ(server_->connections(), 1U);

  client->Leave();

  AwaitEnd(1);
  while (server_->connections() > 0) std::this_thread::yield();
}

TEST_F(WebSocketMessagesTest, AMessageThatHasBegunIsThereInTheTimeOfABody) {
  Start({.body_max = std::chrono::milliseconds(50)});
  EXPECT_EQ(Ask(Piece(kText, "and then")), "");
  AwaitEnd(1);
  // One that has not begun may take its time.
  const auto client = Enter();
  EXPECT_EQ(Ask(Piece(kText, "and then, as well")), "");
  client->Say(Frame(kText, "late!"));
  EXPECT_THAT(client->HearUntil("!"), EndsWith("late!"));
}

// Frames that carry nothing are no progress.
TEST_F(WebSocketMessagesTest, AMessageOfEmptyPiecesHasNoMoreTime) {
  Start({.body_max = std::chrono::milliseconds(50)});
  const auto client = Enter();
  client->Say(Piece(kText, ""));
  while (counts_.ended < 1) client->Say(Piece(kMore, ""));
}

TEST_F(WebSocketMessagesTest, MuchIsWrittenInPiecesOfOneMessage) {
  const auto client = Enter();
  client->Say(Frame(kText, "much"));
  const std::string heard = client->HearUntil("mmm");
  EXPECT_THAT(heard, StartsWith(std::string("\x01\x7F\0\0\0\0\0\x01\0\0", 10)));
}

// It used to leave both waiting for each other for ever.
TEST_F(WebSocketMessagesTest, OneThatBreaksTheRulesWhileItIsClosedIsLetGoOf) {
  for (int round = 0; round < 20; ++round) {
    const auto client = Enter();
    client->Say(Frame(kText, "enough") + Frame(kPing, "p") + Frame(kReserved, "a") +
                Frame(kClose, ""));
    EXPECT_THAT(client->HearAll(), HasSubstr("like"));
    AwaitEnd(round + 1);
  }
}

TEST_F(WebSocketMessagesTest, WhatIsReadCountsAmongBodiesAndIsRefusedBeyondTheirBound) {
  Start({.incoming_bytes_max = 100'000});
  const auto first = Enter();
  first->Say(Piece(kText, std::string(90'000, 'a')) + Frame(kPing, "p"));
  first->HearUntil("p");  // What stood before it has come.
  const auto other = Enter();
  other->Say(Piece(kText, std::string(70'000, 'b')) + Frame(kMore, "moment"));
  const std::string heard =
      other->HearUntil("moment");  // With which an echo ends, and the refusal.
  EXPECT_EQ(heard.substr(2, 2), Closed(1013).substr(2));
  // Who holds little is not kept out by who holds much.
  const auto small = Enter();
  small->Say(Frame(kText, "small!"));
  EXPECT_THAT(small->HearUntil("!"), EndsWith("small!"));
}

TEST_F(WebSocketMessagesTest, WhoDoesNotReadIsLetGoOf) {
  Start({.answer_max = std::chrono::milliseconds(100)});
  const auto client = Enter();
  client->ReadLittle();
  for (int i = 0; i < 4; ++i) client->Say(Frame(kText, "much"));
  AwaitEnd(1);
}

TEST_F(WebSocketMessagesTest, AStopEndsThemWhateverIsUnderWay) {
  const auto reading = Enter();
  const auto writing = Enter();
  writing->Say(Frame(kText, "much"));

  server_->Stop();

  EXPECT_EQ(server_->connections(), 0U);
  AwaitEnd(2);
}

}  // namespace
}  // namespace wharf
