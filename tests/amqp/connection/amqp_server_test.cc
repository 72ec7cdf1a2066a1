#include "broker/doors/amqp/connection/amqp_server.h"

#include <array>
#include <atomic>
#include <future>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/doors/amqp/endpoint/protocol_header.h"
#include "replication/identity/peer_authority.h"
#include "storage/base/clock.h"
#include "tests/access/sample_rules.h"
#include "tests/amqp/connection/door_client.h"
#include "tests/amqp/connection/recording_entities.h"
#include "tests/quiet_log.h"
#include "tests/storage/temp_folder.h"

namespace wharf::amqp {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

// A DoorClient over a socket of its own; hearing nothing means that the server has ended.
class SocketClient {
 public:
  explicit SocketClient(int port, asio::ssl::context* tls = nullptr) : socket_(io_) {
    socket_.connect({asio::ip::make_address("127.0.0.1"), static_cast<std::uint16_t>(port)});
    if (tls == nullptr) return;
    tls_ = std::make_unique<asio::ssl::stream<tcp::socket&>>(socket_, *tls);
    tls_->handshake(asio::ssl::stream_base::client);
  }

  DoorClient* operator->() { return &client_; }
  tcp::socket& socket() { return socket_; }

 private:
  void Write(std::string_view bytes) {
    boost::system::error_code ignored;  // It may be refused before all is said.
    if (tls_ != nullptr) asio::write(*tls_, asio::buffer(bytes), ignored);
    if (tls_ == nullptr) asio::write(socket_, asio::buffer(bytes), ignored);
  }
  std::string Read() {
    std::array<char, 4096> piece{};
    boost::system::error_code end;
    const std::size_t bytes = tls_ != nullptr ? tls_->read_some(asio::buffer(piece), end)
                                              : socket_.read_some(asio::buffer(piece), end);
    return {piece.data(), bytes};
  }

  asio::io_context io_;
  tcp::socket socket_;
  std::unique_ptr<asio::ssl::stream<tcp::socket&>> tls_;
  DoorClient client_{
      {.say = [this](std::string_view bytes) { Write(bytes); }, .hear = [this] { return Read(); }}};
};

// Answers from a thread of its own, as the broker does.
class LateEntities final : public EntityDoor {
 public:
  bool is_open() const override { return true; }
  std::unique_ptr<EntityLinks> Serve(OpenConnection& connection) override {
    return std::make_unique<Links>(connection, answers_);
  }
  ~LateEntities() override {
    for (std::future<void>& answer : answers_) answer.wait();
  }

 private:
  class Links final : public EntityLinks {
   public:
    Links(OpenConnection& connection, std::vector<std::future<void>>& answers)
        : connection_(connection), answers_(answers) {}
    void OnAttached(const Granted& granted) override {
      const auto answer = [this, link = granted.link, post = connection_.poster()] {
        post([this, link] {
          Link* const found = connection_.endpoint().FindLink(link);
          if (found != nullptr) found->SendAttach({});
        });
      };
      answers_.push_back(std::async(std::launch::async, answer));
    }
    void OnRenewed(LinkId /*link*/, const access::PermitPtr& /*permit*/) override {}
    void OnEvent(Event& /*event*/) override {}
    bool OnDetached(LinkId /*link*/, bool /*is_closed*/) override { return false; }
    void OnHeard() override {}
    void OnWritten() override {}
    void OnClosing() override {}

   private:
    OpenConnection& connection_;
    std::vector<std::future<void>>& answers_;
  };

  std::vector<std::future<void>> answers_;
};

// Answers and answers, from a thread of its own, whatever has become of the connection.
class TirelessEntities final : public EntityDoor {
 public:
  ~TirelessEntities() override { answers_.request_stop(); }
  bool is_open() const override { return true; }
  std::unique_ptr<EntityLinks> Serve(OpenConnection& connection) override {
    answers_ = std::jthread([post = connection.poster()](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        auto answer = std::make_shared<int>();
        const std::weak_ptr<int> under_way = answer;
        post([answer = std::move(answer)] {});
        while (!under_way.expired()) std::this_thread::yield();
      }
    });
    return std::make_unique<Links>(connection);
  }

 private:
  class Links final : public EntityLinks {
   public:
    explicit Links(OpenConnection& connection) : connection_(connection) {}
    void OnAttached(const Granted& granted) override {
      connection_.endpoint().FindLink(granted.link)->SendAttach({});
    }
    void OnRenewed(LinkId /*link*/, const access::PermitPtr& /*permit*/) override {}
    void OnEvent(Event& /*event*/) override {}
    bool OnDetached(LinkId /*link*/, bool /*is_closed*/) override { return false; }
    void OnHeard() override {}
    void OnWritten() override {}
    void OnClosing() override {}

   private:
    OpenConnection& connection_;
  };

  std::jthread answers_;
};

// Sends whatever it has credit for, and never stops.
class EndlessEntities final : public EntityDoor {
 public:
  bool is_open() const override { return true; }
  std::unique_ptr<EntityLinks> Serve(OpenConnection& connection) override {
    return std::make_unique<Links>(connection);
  }

 private:
  class Links final : public EntityLinks {
   public:
    explicit Links(OpenConnection& connection) : connection_(connection) {}
    void OnAttached(const Granted& granted) override {
      link_ = granted.link;
      connection_.endpoint().FindLink(link_)->SendAttach({});
    }
    void OnRenewed(LinkId /*link*/, const access::PermitPtr& /*permit*/) override {}
    void OnEvent(Event& /*event*/) override {
      Link& link = *connection_.endpoint().FindLink(link_);
      while (link.Send({.tag = {"t"}, .is_settled = true}, std::string(8000, 'x')).is_done) {
      }
    }
    bool OnDetached(LinkId /*link*/, bool /*is_closed*/) override { return false; }
    void OnHeard() override {}
    void OnWritten() override {}
    void OnClosing() override {}

   private:
    OpenConnection& connection_;
    LinkId link_;
  };
};

class AmqpServerTest : public ::testing::Test {
 protected:
  AmqpServerTest() { gate_.Open(&guard_); }

  void Start(const DoorLimits& limits, EntityDoor& entities,
             std::shared_ptr<const Certificates> certificates = nullptr) {
    std::vector<Doorway> doorways;
    doorways.push_back({.listener = *Listener::Bind(
                            {.endpoint = {asio::ip::make_address("127.0.0.1"), 0}}, 1 << 16),
                        .certificates = std::move(certificates)});
    port_ = doorways.front().listener->port();
    server_ = std::make_unique<AmqpServer>(limits, AmqpServer::Identity{.version = "1"}, gate_,
                                           entities, [] { return access::kSampleNow; });
    ASSERT_TRUE(server_->Listen(std::move(doorways)).ok());
  }
  void Start(const DoorLimits& limits = {}) { Start(limits, entities_); }

  static std::string Root() {
    return std::string(1, '\0') + "root" + std::string(1, '\0') + access::kKeyOne;
  }

  QuietLog quiet_;
  access::Guard guard_{std::make_shared<const access::Book>(access::Book().With(
                           "", access::SampleRule("root", access::Right::kManage))),
                       [] { return access::kSampleNow; }};
  GuardGate gate_;
  RecordingEntities entities_;
  int port_ = 0;
  std::unique_ptr<AmqpServer> server_;
};

TEST_F(AmqpServerTest, AClientPutsATokenAndAttaches) {
  Start();
  SocketClient client(port_);
  client->Enter();
  client->AttachToCbs();

  EXPECT_THAT(client->PutToken("sb://127.0.0.1:1/q",
                               access::MakeToken("sb://127.0.0.1:1/q", "root", access::kKeyOne,
                                                 access::kSampleLater)),
              HasSubstr("202:int"));
  client->SayAttach("s", 0, Role::kSender, "q");

  EXPECT_THAT(client->Hear(" attach{name=\"s\""), HasSubstr("target=target{"));
  client->Say(Close());
  EXPECT_NE(client->Hear(" close{"), "");
  EXPECT_EQ(client->Hear("more"), "");  // The server has ended, too.
  EXPECT_EQ(server_->accepted(), 1U);
}

TEST_F(AmqpServerTest, AnswersComeFromOtherThreads) {
  LateEntities late;
  Start({}, late);
  SocketClient client(port_);
  client->Enter("PLAIN", Root());

  client->SayAttach("s", 0, Role::kSender, "q");

  EXPECT_NE(client->Hear(" attach{name=\"s\""), "");
  server_->Stop(milliseconds(0));
}

// A thread of the broker may be the last to hold a socket.
TEST_F(AmqpServerTest, AnswersMayComeWhileItStopsAndAfterwards) {
  for (int round = 0; round < 20; ++round) {
    TirelessEntities tireless;
    Start({}, tireless);
    SocketClient client(port_);
    client->Enter("PLAIN", Root());
    client->SayAttach("s", 0, Role::kSender, "q");
    EXPECT_NE(client->Hear(" attach{name=\"s\""), "");

    server_->Stop(milliseconds(0));

    EXPECT_EQ(server_->connections(), 0U);
    server_.reset();
  }
}

TEST_F(AmqpServerTest, WhatIsNoAmqpHearsOurHeaderAndTheEnd) {
  Start();
  for (const char* said : {"GET / HTTP/1.1\r\nHost: h\r\n\r\n", "\x16\x03\x01\x02\x01\x01\x01\x01",
                           "AMQP rest of a line", "nonsense"}) {
    SocketClient client(port_);
    client->SayBytes(said);
    EXPECT_EQ(client->Hear("header"), "header sasl") << said;
    EXPECT_EQ(client->Hear("more"), "");
  }
}

TEST_F(AmqpServerTest, WhoIsOneTooManyIsTurnedAway) {
  Start({.connections_max = 2});
  SocketClient first(port_);
  first->Enter();
  {
    SocketClient second(port_);
    second->Enter();
    SocketClient third(port_);

    EXPECT_EQ(third->Hear("anything"), "");
    EXPECT_EQ(server_->refused(), 1U);
    second->Say(Close());
    while (!second->HearAll().empty()) {
    }
  }
  // Its place may take a moment to be free.
  for (bool is_in = false; !is_in;) {
    SocketClient fourth(port_);
    is_in = !fourth->Login("ANONYMOUS").empty();
  }
}

TEST_F(AmqpServerTest, WhoSaysNothingIsDropped) {
  Start({.open_max = milliseconds(30)});
  SocketClient client(port_);

  EXPECT_EQ(client->Hear("anything"), "");
}

TEST_F(AmqpServerTest, WhoDoesNotReadIsDroppedAndOthersGoOn) {
  EndlessEntities endless;
  Start({.write_max = milliseconds(50)}, endless);
  SocketClient client(port_);
  client->Enter("PLAIN", Root());
  client->SayAttach("r", 0, Role::kReceiver, "q");
  client->Hear(" attach{");
  Flow flow;
  flow.next_incoming_id = 0;
  flow.incoming_window = 0x7fffffff;
  flow.outgoing_window = 1;
  flow.handle = 0;
  flow.delivery_count = 0;
  flow.link_credit = 0x7fffffff;
  client->Say(flow);

  // That of another one may take a moment to be gone, and the next one comes meanwhile.
  const auto is_there = [this] {
    const auto first = server_->List(0, 1);
    return !first.empty() && first.front().id == 1;
  };
  while (is_there()) {
    SocketClient other(port_);
    ASSERT_THAT(other->Login("ANONYMOUS"), HasSubstr("code=ok"));
    other->Open();
    other->Say(Close());
    other->HearAll();
  }
}

TEST_F(AmqpServerTest, ConnectionsAreListedInPagesEachOnce) {
  Start();
  SocketClient one(port_);
  one->Enter();
  SocketClient two(port_);
  two->Enter();
  SocketClient three(port_);
  three->Enter();

  const auto first = server_->List(0, 2);
  ASSERT_EQ(first.size(), 2U);
  const auto rest = server_->List(first.back().id, 2);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_LT(first[0].id, first[1].id);
  EXPECT_LT(first[1].id, rest[0].id);
  EXPECT_TRUE(server_->List(rest[0].id, 2).empty());
}

TEST_F(AmqpServerTest, StoppingTellsEverybodyAndWaitsForNobodyTooLong) {
  Start();
  SocketClient answers(port_);
  answers->Enter();
  SocketClient silent(port_);
  silent->Enter();
  SocketClient early(port_);
  early->SayBytes("AM");

  const auto stopped = std::async(std::launch::async, [this] { server_->Stop(milliseconds(200)); });
  EXPECT_THAT(answers->Hear(" close{"), HasSubstr("amqp:connection:forced"));
  EXPECT_THAT(silent->Hear(" close{"), HasSubstr("amqp:connection:forced"));
  answers->Say(Close());
  EXPECT_EQ(answers->Hear("more"), "");
  stopped.wait();

  EXPECT_EQ(server_->connections(), 0U);
}

TEST_F(AmqpServerTest, AllMayBeSentAwayAndComeAgain) {
  Start();
  SocketClient client(port_);
  client->Enter();

  server_->CloseAll(Status::NotOwned("", "another node leads"));

  EXPECT_THAT(client->Hear(" close{"), HasSubstr("com.microsoft:partition-not-owned"));
  SocketClient again(port_);
  EXPECT_THAT(again->Login("ANONYMOUS"), HasSubstr("code=ok"));
}

// --- handed over by another door

// Carries the bytes of a socket, and remembers what room it was given last and how it was ended.
class SocketCarrier final : public HandedStream::Carrier {
 public:
  using Ending = HandedStream::Ending;
  SocketCarrier(tcp::socket socket, std::atomic<std::size_t>& room, std::promise<Ending>& ending)
      : socket_(std::move(socket)), room_(room), ending_(ending) {}

  HandedStream::executor_type executor() override { return socket_.get_executor(); }
  void Read(asio::mutable_buffer into, HandedStream::Done done) override {
    room_ = into.size();
    socket_.async_read_some(into, std::move(done));
  }
  void Write(asio::const_buffer bytes, HandedStream::Done done) override {
    socket_.async_write_some(bytes, std::move(done));
  }
  void Shutdown(Ending ending, HandedStream::Done done) override {
    ending_.set_value(ending);
    asio::post(socket_.get_executor(),
               [done = std::move(done)]() mutable { std::move(done)({}, 0); });
  }
  void Close() override { socket_.close(); }

 private:
  tcp::socket socket_;
  std::atomic<std::size_t>& room_;
  std::promise<Ending>& ending_;
};

class AmqpHandedTest : public AmqpServerTest {
 protected:
  ~AmqpHandedTest() override {
    server_.reset();
    guard_of_io_.reset();
    thread_.join();
  }

  // A client that another door has let in.
  std::unique_ptr<SocketClient> Hand(const std::string& subject = "") {
    auto client = std::make_unique<SocketClient>(acceptor_.local_endpoint().port());
    tcp::socket socket = acceptor_.accept(asio::make_strand(io_));
    const auto executor = socket.get_executor();
    asio::post(executor,
               [this, server = server_.get(), subject, socket = std::move(socket)]() mutable {
                 auto carrier = std::make_unique<SocketCarrier>(std::move(socket), room_, ending_);
                 const auto room = server->Reserve();
                 if (room == nullptr) return;
                 room->Take({"far away:1", subject, HandedStream(std::move(carrier))});
               });
    return client;
  }
  HandedStream::Ending Ending() { return ending_.get_future().get(); }

  asio::io_context io_;
  asio::executor_work_guard<asio::io_context::executor_type> guard_of_io_{
      asio::make_work_guard(io_)};
  tcp::acceptor acceptor_{io_, {asio::ip::make_address("127.0.0.1"), 0}};
  std::atomic<std::size_t> room_ = 0;
  std::promise<HandedStream::Ending> ending_;
  std::thread thread_{[this] { io_.run(); }};
};

TEST_F(AmqpHandedTest, AClientOfAnotherDoorIsServedAsAnyOther) {
  Start();
  const auto handed = Hand();
  SocketClient& client = *handed;
  client->Enter("PLAIN", Root());
  client->SayAttach("s", 0, Role::kSender, "q");

  EXPECT_NE(client->Hear(" attach{name=\"s\""), "");
  EXPECT_EQ(server_->accepted(), 1U);
  ASSERT_EQ(server_->List(0, 10).size(), 1U);
  EXPECT_EQ(server_->List(0, 10).front().peer, "far away:1");
  client->Say(Close());
  EXPECT_NE(client->Hear(" close{"), "");
  EXPECT_EQ(Ending(), HandedStream::Ending::kAllSaid);
  EXPECT_EQ(client->Hear("more"), "");
}

TEST_F(AmqpHandedTest, ItMayBeWhoItsCertificateSaid) {
  Start();
  const auto handed = Hand("CN=somebody");
  SocketClient& client = *handed;
  client->SayBytes(HeaderOf(Protocol::kSasl));

  EXPECT_THAT(client->Hear("sasl-mechanisms"), HasSubstr("EXTERNAL"));
}

TEST_F(AmqpHandedTest, ItCountsAsAnyOther) {
  Start({.connections_max = 1});
  auto room = server_->Reserve();
  ASSERT_NE(room, nullptr);
  EXPECT_EQ(server_->connections(), 1U);

  // Before it comes, and when it has gone without having come.
  EXPECT_EQ(server_->Reserve(), nullptr);
  SocketClient outside(port_);
  EXPECT_EQ(outside->Hear("anything"), "");
  EXPECT_EQ(server_->refused(), 2U);
  room = nullptr;
  EXPECT_EQ(server_->connections(), 0U);
  const auto handed = Hand();
  (*handed)->Enter();
  EXPECT_EQ(server_->Reserve(), nullptr);
  EXPECT_EQ(server_->refused(), 3U);
}

TEST_F(AmqpHandedTest, WhileMuchComesThereIsMoreRoomForIt) {
  Start();
  const auto handed = Hand();
  SocketClient& client = *handed;
  client->Enter("PLAIN", Root());
  client->SayAttach("s", 0, Role::kSender, "q");
  EXPECT_NE(client->Hear(" attach{name=\"s\""), "");
  std::uint32_t handle = 0;
  std::string much;
  while (much.size() < 32 * 1024) much.append("\0\0\0\x08\x02\0\0\0", 8);

  EXPECT_EQ(room_, 8U * 1024);
  for (int i = 0; i < 1000 && room_ < 64 * 1024; ++i) client->SayBytes(much);
  EXPECT_EQ(room_, 64U * 1024);
  // The first comes with what is left of it, the second into the room that there was for that.
  for (const std::string name : {"one", "two", "three"}) {
    client->SayAttach(name, ++handle, Role::kSender, "q");
    EXPECT_NE(client->Hear(" attach{name=\"" + name + "\""), "");
  }
  EXPECT_EQ(room_, 8U * 1024);
}

TEST_F(AmqpHandedTest, OneThatIsSentAwayHearsItOfBothLayers) {
  Start();
  const auto handed = Hand();
  SocketClient& client = *handed;
  client->Enter();

  const auto stopped =
      std::async(std::launch::async, [this] { server_->Stop(milliseconds(5000)); });
  EXPECT_THAT(client->Hear(" close{"), HasSubstr("amqp:connection:forced"));
  client->Say(Close());

  EXPECT_EQ(Ending(), HandedStream::Ending::kSentAway);
  stopped.wait();
  EXPECT_EQ(server_->connections(), 0U);
}

TEST_F(AmqpHandedTest, OneThatComesBehindAStopIsDropped) {
  Start();
  server_->Stop(milliseconds(0));

  const auto handed = Hand();
  EXPECT_EQ((*handed)->Hear("anything"), "");
}

// --- TLS

class AmqpTlsTest : public AmqpServerTest {
 protected:
  AmqpTlsTest()
      : authority_(*PeerAuthority::Make(folder_.path() + "/ca", clock_)),
        door_(*authority_.IssueCertificate("door", {"127.0.0.1"})),
        somebody_(*authority_.IssueCertificate("somebody", {"127.0.0.1"})) {
    auto certificates = Certificates::Load({.certificate = door_.certificate,
                                            .key = door_.key,
                                            .client_authority = door_.authority,
                                            .wanted = ClientCertificate::kOptional});
    if (!certificates.ok()) throw std::runtime_error(certificates.status().message());
    Start({}, entities_, *certificates);
    tls_.load_verify_file(door_.authority);
    tls_.set_verify_mode(asio::ssl::verify_peer);
  }

  // The certificates are checked by the time of the machine.
  ManualClock clock_{std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now())};
  TempFolder folder_;
  PeerAuthority authority_;
  PeerCredentials door_;
  PeerCredentials somebody_;
  asio::ssl::context tls_{asio::ssl::context::tls_client};
};

TEST_F(AmqpTlsTest, AClientComesInOverTls) {
  SocketClient client(port_, &tls_);
  client->Enter("PLAIN", Root());

  client->SayAttach("s", 0, Role::kSender, "q");
  client->SayTransfer(0, std::string(60'000, 'm'));

  EXPECT_NE(client->Hear(" attach{name=\"s\""), "");
  client->Say(Close());
  EXPECT_NE(client->Hear(" close{"), "");
}

TEST_F(AmqpTlsTest, AClientIsWhoItsCertificateSays) {
  tls_.use_certificate_chain_file(somebody_.certificate);
  tls_.use_private_key_file(somebody_.key, asio::ssl::context::pem);
  SocketClient stranger(port_, &tls_);
  EXPECT_THAT(stranger->Login("EXTERNAL"), HasSubstr("code=auth"));

  SocketClient offered(port_, &tls_);
  offered->SayBytes(HeaderOf(Protocol::kSasl));

  EXPECT_THAT(offered->Hear("sasl-mechanisms"), HasSubstr("EXTERNAL"));
}

TEST_F(AmqpTlsTest, WhoDoesNotSpeakTlsIsDropped) {
  SocketClient client(port_);

  client->SayBytes(HeaderOf(Protocol::kSasl));

  EXPECT_EQ(client->Hear("header"), "");
}

}  // namespace
}  // namespace wharf::amqp
