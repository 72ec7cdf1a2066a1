// Whom a node that leads serves of those that other nodes bring.

#include "broker/daemon/listening/client_relay.h"

#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "tests/access/sample_rules.h"

namespace wharf {
namespace {

using ::testing::HasSubstr;

const std::string kLoginHeader("AMQP\3\1\0\0", 8);

class ClientRelayTest : public ::testing::Test {
 protected:
  ~ClientRelayTest() override { door_.Stop(std::chrono::milliseconds(0)); }

  // Without TLS, somewhere.
  void Listen() {
    std::vector<Doorway> doorways;
    doorways.push_back({.listener = *Listener::Bind(
                            {.endpoint = {boost::asio::ip::address_v4::loopback(), 0}}, 1 << 16)});
    ASSERT_TRUE(door_.Listen(std::move(doorways)).ok());
  }

  static access::Guard GuardWith(access::Guard::Obeyed obeyed) {
    return {std::make_shared<const access::Book>(), [] { return access::kSampleNow; }, obeyed};
  }

  Status Take(const ClientRelay::World& world, const std::string& door, bool is_local) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    client_ = Descriptor(ends[1]);
    return ClientRelay(world).Take({.door = door, .address = "10.0.0.9:1", .is_local = is_local},
                                   Descriptor(ends[0]));
  }
  // What the door says to the header by which a client begins.
  std::string Answer() {
    EXPECT_EQ(::send(client_.get(), kLoginHeader.data(), kLoginHeader.size(), MSG_NOSIGNAL), 8);
    std::array<char, 8> answer{};
    const auto read = ::recv(client_.get(), answer.data(), answer.size(), MSG_WAITALL);
    return {answer.data(), read < 0 ? 0 : static_cast<std::size_t>(read)};
  }

  amqp::AmqpDoor door_{amqp::AmqpDoor::Options{}};
  Descriptor client_;
};

TEST_F(ClientRelayTest, WhoIsBroughtIsServedByTheDoor) {
  Listen();

  ASSERT_TRUE(Take({&door_, nullptr, nullptr, nullptr, false}, "amqp", true).ok());

  EXPECT_EQ(Answer(), kLoginHeader);
}

// By the way on which it comes a client of another machine does not become one of this.
TEST_F(ClientRelayTest, WhereNobodyHasToProveAnythingOnlyThisMachineIsLetIn) {
  Listen();
  const access::Guard without_rules = GuardWith(access::Guard::Obeyed::kFromFirstRule);
  const access::Guard obeyed = GuardWith(access::Guard::Obeyed::kAlways);

  EXPECT_THAT(Take({&door_, nullptr, nullptr, nullptr, false}, "amqp", false).message(),
              HasSubstr("access is off"));
  EXPECT_THAT(Take({&door_, nullptr, nullptr, &without_rules, false}, "amqp", false).message(),
              HasSubstr("access is off"));
  EXPECT_TRUE(Take({&door_, nullptr, nullptr, &without_rules, false}, "amqp", true).ok());
  EXPECT_TRUE(Take({&door_, nullptr, nullptr, nullptr, true}, "amqp", false).ok());
  EXPECT_TRUE(Take({&door_, nullptr, nullptr, &obeyed, false}, "amqp", false).ok());
}

TEST_F(ClientRelayTest, ADoorThatIsNotThereIsNamed) {
  EXPECT_THAT(Take({&door_, nullptr, nullptr, nullptr, false}, "amqp", true).message(),
              HasSubstr("AMQP without TLS is not listened for here"));
  Listen();
  EXPECT_THAT(Take({&door_, nullptr, nullptr, nullptr, false}, "amqp+tls", true).message(),
              HasSubstr("AMQP with TLS is not listened for here"));
  EXPECT_THAT(Take({&door_, nullptr, nullptr, nullptr, false}, "servicebus", true).message(),
              HasSubstr("HTTP is not listened for here"));
  EXPECT_THAT(Take({&door_, nullptr, nullptr, nullptr, false}, "console+tls", true).message(),
              HasSubstr("HTTP is not listened for here"));
  EXPECT_THAT(Take({nullptr, nullptr, nullptr, nullptr, false}, "amqp", true).message(),
              HasSubstr("AMQP is not listened for here"));
  EXPECT_THAT(Take({&door_, nullptr, nullptr, nullptr, false}, "mqtt", true).message(),
              HasSubstr("no door 'mqtt'"));
}

}  // namespace
}  // namespace wharf
