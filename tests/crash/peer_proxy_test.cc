// The network between nodes, with a node on either side that this test plays with plain sockets.

#include "tools/crash/proxy/peer_proxy.h"

#include <array>
#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <thread>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include "tools/crash/proxy/socket_owner.h"

namespace wharf::crash {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr int kPatienceMs = 10'000;
// What does not come in this time does not come: it is on one machine.
constexpr int kNothingMs = 100;

bool HasNews(tcp::socket& socket, int milliseconds) {
  pollfd one{socket.native_handle(), POLLIN, 0};
  return poll(&one, 1, milliseconds) == 1;
}

// n1 dials n2.
class PeerProxyTest : public testing::Test {
 protected:
  PeerProxyTest()
      : listener_(io_, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)),
        proxy_([this](const tcp::endpoint&) { return dialler_; }) {
    port_ =
        proxy_.Add("n2", fmt::format("127.0.0.1:{}", listener_.local_endpoint().port())).value();
  }

  tcp::socket Dial() {
    tcp::socket socket(io_);
    socket.connect(tcp::endpoint(boost::asio::ip::address_v4::loopback(), port_));
    return socket;
  }
  // What n2 accepts; nothing, if nobody is let in.
  std::optional<tcp::socket> Accept(int milliseconds = kPatienceMs) {
    pollfd one{listener_.native_handle(), POLLIN, 0};
    if (poll(&one, 1, milliseconds) != 1) return std::nullopt;
    return listener_.accept();
  }
  static void Say(tcp::socket& socket, const std::string& text) {
    boost::asio::write(socket, boost::asio::buffer(text));
  }
  // "-": nothing; "end": it was ended.
  static std::string Hear(tcp::socket& socket, int milliseconds = kPatienceMs) {
    if (!HasNews(socket, milliseconds)) return "-";
    std::array<char, 64> text{};
    error_code error;
    const std::size_t count = socket.read_some(boost::asio::buffer(text), error);
    return error ? "end" : std::string(text.data(), count);
  }

  boost::asio::io_context io_;
  tcp::acceptor listener_;
  std::string dialler_ = "n1";
  PeerProxy proxy_;
  std::uint16_t port_ = 0;
};

TEST_F(PeerProxyTest, WhatNodesSayPasses) {
  tcp::socket n1 = Dial();
  tcp::socket n2 = Accept().value();

  Say(n1, "hello");
  EXPECT_EQ(Hear(n2), "hello");
  Say(n2, "welcome");
  EXPECT_EQ(Hear(n1), "welcome");
  n1.close();
  EXPECT_EQ(Hear(n2), "end");
}

TEST_F(PeerProxyTest, WhoIsNoNodeIsNotLetIn) {
  dialler_ = "";
  tcp::socket stranger = Dial();

  EXPECT_EQ(Hear(stranger), "end");
  EXPECT_FALSE(Accept(kNothingMs));
}

TEST_F(PeerProxyTest, OneDirectionIsCutAndTheOtherGoesOn) {
  tcp::socket n1 = Dial();
  tcp::socket n2 = Accept().value();

  proxy_.Set("n1", "n2", Passage::kCut);
  Say(n2, "do you hear me?");

  EXPECT_EQ(Hear(n1), "do you hear me?");
  Say(n1, "yes");
  EXPECT_EQ(Hear(n2, kNothingMs), "-");
}

TEST_F(PeerProxyTest, WhatHasLostSomethingEndsWhenItHealsAndNothingLostComesLate) {
  tcp::socket n1 = Dial();
  tcp::socket n2 = Accept().value();
  proxy_.Set("n1", "n2", Passage::kCut);
  Say(n1, "lost");
  ASSERT_EQ(Hear(n2, kNothingMs), "-");

  proxy_.Heal();

  EXPECT_EQ(Hear(n2), "end");
  EXPECT_EQ(Hear(n1), "end");
}

TEST_F(PeerProxyTest, ThatOneEndedIsNotHeardOverACut) {
  tcp::socket n1 = Dial();
  tcp::socket n2 = Accept().value();
  proxy_.Set("n1", "n2", Passage::kCut);

  n1.close();

  EXPECT_EQ(Hear(n2, kNothingMs), "-");
}

TEST_F(PeerProxyTest, WhoDialsOverACutHearsNothingAndIsLetInAfterwards) {
  for (const bool is_back : {false, true}) {
    is_back ? proxy_.Set("n2", "n1", Passage::kCut) : proxy_.Set("n1", "n2", Passage::kCut);
    tcp::socket n1 = Dial();
    Say(n1, "hello?");
    EXPECT_EQ(Hear(n1, kNothingMs), "-");
    EXPECT_FALSE(Accept(kNothingMs));

    proxy_.Heal();

    EXPECT_EQ(Hear(n1), "end");
    tcp::socket again = Dial();
    tcp::socket n2 = Accept().value();
    Say(again, "hello");
    EXPECT_EQ(Hear(n2), "hello");
  }
}

TEST_F(PeerProxyTest, WhatIsStalledComesLate) {
  tcp::socket n1 = Dial();
  tcp::socket n2 = Accept().value();
  proxy_.Set("n1", "n2", Passage::kStalled);

  Say(n1, "late");
  n1.close();
  EXPECT_EQ(Hear(n2, kNothingMs), "-");

  proxy_.Set("n1", "n2", Passage::kOpen);
  EXPECT_EQ(Hear(n2), "late");
  EXPECT_EQ(Hear(n2), "end");
}

// What the kernel keeps for both ends is a few MiB.
TEST_F(PeerProxyTest, OfWhatIsStalledLittleIsKept) {
  tcp::socket n1 = Dial();
  tcp::socket n2 = Accept().value();
  proxy_.Set("n1", "n2", Passage::kStalled);

  n1.non_blocking(true);
  const std::string piece(1 << 20, 'x');
  std::size_t taken = 0;
  pollfd one{n1.native_handle(), POLLOUT, 0};
  while (taken < 64 << 20 && poll(&one, 1, kNothingMs) == 1) {
    error_code error;
    taken += n1.write_some(boost::asio::buffer(piece), error);
  }

  EXPECT_LT(taken, 32 << 20);
}

TEST_F(PeerProxyTest, OtherPairsAreNoneOfItsBusiness) {
  proxy_.Set("n3", "n2", Passage::kCut);
  proxy_.Set("n1", "n3", Passage::kCut);
  tcp::socket n1 = Dial();
  tcp::socket n2 = Accept().value();

  Say(n1, "hello");
  EXPECT_EQ(Hear(n2), "hello");
}

TEST(SocketOwnerTest, TheProcessAtTheOtherEndIsFound) {
  boost::asio::io_context io;
  tcp::acceptor listener(io, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
  tcp::socket dialled(io);
  dialled.connect(listener.local_endpoint());
  tcp::socket accepted = listener.accept();

  const std::array<pid_t, 3> processes{0, getppid(), getpid()};
  EXPECT_EQ(OwnerOf(accepted.remote_endpoint(), processes), getpid());
  EXPECT_EQ(OwnerOf(accepted.remote_endpoint(), std::array<pid_t, 1>{getppid()}), 0);
  const tcp::endpoint nobody(boost::asio::ip::address_v4::loopback(), 1);
  EXPECT_EQ(OwnerOf(nobody, processes), 0);
}

}  // namespace
}  // namespace wharf::crash
