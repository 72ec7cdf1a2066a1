// What a connection of HTTP does when it becomes a WebSocket, frame by frame (RFC 6455).
#include "broker/doors/http/web_socket.h"

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/write.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/doors/http/http_server.h"
#include "tests/http/frames.h"
#include "tests/http/raw_client.h"

namespace wharf {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Ending = HandedStream::Ending;

// Answers each piece by itself; ends, one way or the other, by a piece that says so.
class Echo final : public std::enable_shared_from_this<Echo> {
 public:
  explicit Echo(HandedStream stream) : stream_(std::move(stream)) {}

  void Read() {
    stream_.async_read_some(
        boost::asio::buffer(piece_),
        [self = shared_from_this()](const boost::system::error_code& error, std::size_t bytes) {
          if (!error) self->Answer({self->piece_.data(), bytes});
        });
  }

 private:
  void Answer(std::string_view piece) {
    if (piece == "enough") return End(Ending::kAllSaid);
    if (piece == "go away") return End(Ending::kSentAway);
    out_ = piece == "much" ? std::string(149'999, 'm') + "!" : std::string(piece);
    boost::asio::async_write(
        stream_, boost::asio::buffer(out_),
        [self = shared_from_this()](const boost::system::error_code& error, std::size_t) {
          if (!error) self->Read();
        });
  }
  void End(Ending ending) {
    stream_.Shutdown(ending, [self = shared_from_this()](const auto&, std::size_t) {});
  }

  HandedStream stream_;
  std::array<char, 64> piece_{};
  std::string out_;
};

class EchoService final : public HttpService {
 public:
  Begun Begin(HttpRequest head) override {
    if (head.path == "/later") {
      return {.go_on = [](const std::string& /*body*/, HttpReplyPtr reply) {
        std::thread([reply = std::move(reply)] {
          reply->Answer(TextResponse(200, "later"));
        }).detach();
      }};
    }
    return {.upgrade = Upgrade{"amqp", [](HandedStream stream) {
                                 std::make_shared<Echo>(std::move(stream))->Read();
                               }}};
  }
  HttpResponse Refusal(unsigned status, std::string_view why) override {
    return TextResponse(status, why);
  }
};

class WebSocketTest : public ::testing::Test {
 protected:
  void SetUp() override { Start({}); }
  void Start(const HttpLimits& limits) {
    std::vector<Doorway> doorways;
    doorways.push_back(
        {.listener = *Listener::Bind({.endpoint = {boost::asio::ip::make_address("127.0.0.1"), 0}},
                                     1 << 16)});
    port_ = doorways.front().listener->port();
    server_ = std::make_unique<HttpServer>(limits, std::make_unique<EchoService>());
    ASSERT_TRUE(server_->Listen(std::move(doorways)).ok());
  }
  std::unique_ptr<RawClient> Enter() const {
    auto client = std::make_unique<RawClient>(port_);
    client->Say(std::string(kUpgrade) + "\r\n");
    answer_ = client->HearUntil("\r\n\r\n");
    return client;
  }
  // What it hears until the end.
  std::string Ask(const std::string& frames) const { return Enter()->Ask(frames); }

  int port_ = 0;
  mutable std::string answer_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(WebSocketTest, TheAnswerSaysWhatIsSpokenAndCompressesNothing) {
  const auto client = Enter();

  EXPECT_THAT(answer_, StartsWith("HTTP/1.1 101 "));
  EXPECT_THAT(answer_, HasSubstr("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
  EXPECT_THAT(answer_, HasSubstr("Sec-WebSocket-Protocol: amqp\r\n"));
  EXPECT_THAT(answer_, ::testing::Not(HasSubstr("Extensions")));
}

TEST_F(WebSocketTest, OneThatHasLeftHoldsNoPlaceOfHttp) {
  const auto client = Enter();
  client->Say(Frame(kBinary, "a"));
  EXPECT_EQ(client->HearUntil("a"), Said(kFinal | kBinary, "a"));

  while (server_->connections() > 0) std::this_thread::yield();
}

// They are a stream: pieces as small as none, pings between them, several messages at once.
TEST_F(WebSocketTest, BytesComeInPiecesOfAnySize) {
  const auto client = Enter();
  client->Say(Piece(kBinary, "a") + Piece(kMore, "") + Frame(kPing, "p") + Piece(kMore, "b") +
              Frame(kMore, "") + Frame(kBinary, "") + Frame(kBinary, "c!"));

  EXPECT_EQ(client->HearUntil("c!"), Said(kFinal | 10, "p") + Said(kFinal | kBinary, "abc!"));

  const auto other = Enter();
  for (const char byte : Frame(kBinary, "slow")) other->Say(std::string(1, byte));
  EXPECT_EQ(other->HearUntil("slow"), Said(kFinal | kBinary, "slow"));
}

TEST_F(WebSocketTest, MuchIsWrittenAsMessagesOf64KiB) {
  const auto client = Enter();
  client->Say(Frame(kBinary, "much"));

  const std::string heard = client->HearUntil("!");
  const std::string head{'\x82', '\x7F', 0, 0, 0, 0, 0, 1, 0, 0};
  ASSERT_THAT(heard, StartsWith(head));
  EXPECT_EQ(heard.substr(65536 + 10, 10), head);
  EXPECT_EQ(heard.substr(2 * (65536 + 10), 4), (std::string{'\x82', '\x7E', '\x49', '\xF0'}));
}

TEST_F(WebSocketTest, WhatBreaksTheRulesHearsTheCodeOfIt) {
  const std::string unmasked = Said(kFinal | kBinary, "a");
  EXPECT_EQ(Ask(unmasked), Closed(1002));
  EXPECT_EQ(Ask(Frame(kReserved, "a")), Closed(1002));
  EXPECT_EQ(Ask(Frame(kMore, "of nothing")), Closed(1002));
  EXPECT_EQ(Ask(Piece(kPing, "in pieces")), Closed(1002));
  EXPECT_EQ(Ask(Frame(kPing, std::string(126, 'p'))), Closed(1002));
  EXPECT_EQ(Ask(HeadOf(0x40 | kFinal | kBinary, 1) + "z"), Closed(1002));  // Compressed.
  EXPECT_EQ(Ask(HeadOf(kFinal | kBinary, kWebSocketMessageBytesMax + 1)), Closed(1009));
  EXPECT_EQ(Ask(HeadOf(kFinal | kBinary, std::uint64_t{1} << 62)), Closed(1009));
}

TEST_F(WebSocketTest, AMessageWithoutEndEndsAtItsBound) {
  const std::string first = Piece(kBinary, "a") + HeadOf(kMore, kWebSocketMessageBytesMax);
  EXPECT_EQ(Ask(first), Said(kFinal | kBinary, "a") + Closed(1009));
}

TEST_F(WebSocketTest, TextIsRefused) {
  const auto client = Enter();
  client->Say(Frame(kText, "AMQP") + Frame(kClose, ""));

  EXPECT_EQ(client->HearAll(), Closed(1003));
}

TEST_F(WebSocketTest, AClientThatClosesHearsItsOwnCode) {
  EXPECT_EQ(Ask(Frame(kClose, {'\x03', '\xE8'})), Closed(1000));
  EXPECT_EQ(Ask(Frame(kClose, {'\x03', '\xE9'})), Closed(1001));
}

TEST_F(WebSocketTest, WhoServesItEndsItWithTheReason) {
  const std::string answer = Frame(kClose, {'\x03', '\xE8'});
  const auto done = Enter();
  done->Say(Frame(kBinary, "enough"));
  EXPECT_EQ(done->HearUntil("\xE8"), Closed(1000));
  EXPECT_EQ(done->Ask(answer), "");

  const auto away = Enter();
  away->Say(Frame(kBinary, "go away"));
  EXPECT_EQ(away->HearUntil("\xE9"), Closed(1001));
  EXPECT_EQ(away->Ask(answer), "");
}

TEST_F(WebSocketTest, NothingMayStandBehindAnUpgradeBeforeItsAnswer) {
  const std::string upgrade(kUpgrade);
  for (const std::string& ahead :
       {upgrade + "\r\n" + Frame(kBinary, "early"), upgrade + "\r\nGET /next HTTP/1.1\r\n",
        upgrade + "Content-Length: 4\r\n\r\nbody", upgrade + "Content-Length: 4\r\n\r\n",
        std::string("GET / HTTP/1.0\r\n\r\n")}) {
    EXPECT_EQ(RawClient(port_).Ask(ahead).substr(8, 5), " 400 ") << ahead;
  }
}

// Its connection may be reading ahead.
TEST_F(WebSocketTest, AnUpgradeBehindARequestThatIsAnsweredLaterIsRefused) {
  RawClient client(port_);
  client.Say("GET /later HTTP/1.1\r\nHost: localhost\r\n\r\n" + std::string(kUpgrade) + "\r\n");
  EXPECT_THAT(client.HearUntil("later\n"), StartsWith("HTTP/1.1 200 "));

  EXPECT_THAT(client.HearAll(), StartsWith("HTTP/1.1 400 "));

  const auto other = Enter();
  EXPECT_THAT(answer_, StartsWith("HTTP/1.1 101 "));
}

TEST_F(WebSocketTest, WhoHasLeftHttpTakesNoPlaceThere) {
  Start({.connections_max = 1});
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 100; ++i) {
    clients.push_back(Enter());
    ASSERT_THAT(answer_, StartsWith("HTTP/1.1 101 ")) << i;
  }
  EXPECT_EQ(server_->refused(), 0U);
}

TEST_F(WebSocketTest, AStopWaitsForNoAnswerToAnUpgrade) {
  const auto client = Enter();
  server_->LetNobodyIn();
  client->Leave();

  server_->Stop();

  EXPECT_EQ(server_->connections(), 0U);
}

}  // namespace
}  // namespace wharf
