// What a stream says on either side, with the socket and the gRPC door played by the test.
#include "broker/doors/http/console/api_stream.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <wharf/v1/messaging.pb.h>

#include "tests/harness/engine_harness.h"

namespace wharf::console {
namespace {

using nlohmann::json;

// What the client has of it.
struct Client {
  MessageSocket::Heard heard;
  MessageSocket::Written written;
  std::vector<std::string> texts;
  std::optional<std::pair<int, std::string>> closed;
  bool is_dropped = false;
};

class Socket final : public MessageSocket {
 public:
  Socket(Client& client, boost::asio::io_context& io) : client_(client), io_(io) {}
  ~Socket() override { client_.is_dropped = !client_.closed; }
  boost::asio::any_io_executor executor() override { return io_.get_executor(); }
  void Read(Heard heard) override {
    ASSERT_FALSE(client_.heard) << "one read at a time";
    client_.heard = std::move(heard);
  }
  void Write(std::string text, Written written) override {
    ASSERT_FALSE(client_.written) << "one write at a time";
    client_.texts.push_back(std::move(text));
    client_.written = std::move(written);
  }
  void Close(std::uint16_t code, std::string_view reason) override {
    client_.closed = {code, std::string(reason)};
  }

 private:
  Client& client_;
  boost::asio::io_context& io_;
};

// The gRPC door, with one stream at most.
class Door final : public InnerCalls {
 public:
  class Opened final : public Stream {
   public:
    explicit Opened(Door& door) : door_(door) {}
    ~Opened() override { door_.is_let_go = true; }
    void Read() override { ++door_.reads; }
    void Write(const std::string& request) override { door_.requests.push_back(request); }
    void EndWrites() override { door_.has_all_requests = true; }

   private:
    Door& door_;
  };

  Cancel Begin(Call /*call*/, Done /*done*/) override { return {}; }
  std::unique_ptr<Stream> Open(Call call, StreamEvents events) override {
    asked = std::move(call);
    events_ = std::move(events);
    return std::make_unique<Opened>(*this);
  }
  void Respond(const google::protobuf::Message& response) const {
    events_.on_read(response.SerializeAsString());
  }
  void Take() const { events_.on_written(true); }
  // As gRPC does: there is no more, and when it is let go of it tells how it ended.
  void End(Answer answer) {
    events_.on_read(std::nullopt);
    answer_ = std::move(answer);
  }
  void TellOver() {
    events_.on_over(answer_);
    events_ = {};
  }

  std::optional<Call> asked;
  std::vector<std::string> requests;
  int reads = 0;
  bool has_all_requests = false;
  bool is_let_go = false;

 private:
  StreamEvents events_;
  Answer answer_;
};

class ApiStreamTest : public ::testing::Test {
 protected:
  ApiStreamTest() {
    gate_.Open({engine_.broker().requests(), clock_, [] { return BrokerStatistics(); }, nullptr});
    auto visit = std::make_shared<Visit>(gate_, HttpRequest{.peer = "10.0.0.1:5000"});
    std::make_shared<ApiStream>(*FindApiStream("/api/v1/Messaging/SendStream"),
                                ApiStream::Held{.visit = std::move(visit),
                                                .place = std::shared_ptr<void>(place_),
                                                .has_room = [this] { return has_room_; },
                                                .is_signed_in = [this] { return is_signed_in_; },
                                                .pace = std::chrono::milliseconds(1)},
                                std::make_unique<Socket>(client_, io_))
        ->Begin(door_);
    place_.reset();
  }
  // Before what they speak with.
  ~ApiStreamTest() override {
    client_.heard = nullptr;
    client_.written = nullptr;
  }

  // What was posted happens.
  void Run() {
    io_.restart();
    io_.poll();
  }
  // Until something has come of its looks.
  template <typename IsSo>
  void RunUntil(IsSo is_so) {
    while (!is_so()) {
      io_.restart();
      io_.run_one();
    }
  }
  void Say(std::optional<std::string> text) {
    std::exchange(client_.heard, nullptr)(std::move(text));
    Run();
  }
  void Read(bool is_written = true) {
    std::exchange(client_.written, nullptr)(is_written);
    Run();
  }
  void Respond(std::uint64_t id) {
    v1::SendStreamResponse response;
    response.set_request_id(id);
    door_.Respond(response);
    Run();
  }
  void Take() {
    door_.Take();
    Run();
  }
  void End(InnerCalls::Answer answer) {
    door_.End(std::move(answer));
    Run();
    ASSERT_TRUE(door_.is_let_go);
    door_.TellOver();
    Run();
  }
  static std::string Request(int id) { return json{{"requestId", std::to_string(id)}}.dump(); }

  bool has_room_ = true;
  bool is_signed_in_ = true;
  EngineHarness engine_;
  ClockControl clock_{engine_.broker().requests(), nullptr};
  CallGate gate_{{ErrorCode::kServiceCommunicationProblem, "not yet"}};
  boost::asio::io_context io_;
  Client client_;
  Door door_;
  std::shared_ptr<int> place_ = std::make_shared<int>(0);
  const std::weak_ptr<int> is_held_ = place_;
};

TEST_F(ApiStreamTest, ATextIsARequestOfWhoHasAskedAndAResponseIsAText) {
  EXPECT_EQ(door_.asked->method, "/wharf.v1.Messaging/SendStream");
  EXPECT_EQ(door_.asked->caller.peer, "10.0.0.1:5000");
  EXPECT_FALSE(door_.asked->caller.patience) << "it is there as long as its client likes";

  Say(Request(7));
  v1::SendStreamRequest request;
  ASSERT_TRUE(request.ParseFromString(door_.requests.at(0)));
  EXPECT_EQ(request.request_id(), 7U);

  Respond(7);
  EXPECT_EQ(json::parse(client_.texts.at(0))["requestId"], "7");
}

// What is not taken stays in the socket of the client, and what it does not read with the broker.
TEST_F(ApiStreamTest, OneRequestAndOneResponseAreOnTheirWay) {
  Say(Request(1));
  EXPECT_FALSE(client_.heard) << "before that one is taken";
  Take();
  EXPECT_TRUE(client_.heard);

  EXPECT_EQ(door_.reads, 1);
  Respond(1);
  EXPECT_EQ(door_.reads, 1) << "before that one is read";
  Read();
  EXPECT_EQ(door_.reads, 2);
}

TEST_F(ApiStreamTest, AnEmptyTextEndsTheRequestsAndTheStreamGoesOnToItsEnd) {
  Say("");
  EXPECT_TRUE(door_.has_all_requests);
  Say(Request(1));
  EXPECT_TRUE(door_.requests.empty());
  Respond(3);
  Read();
  EXPECT_EQ(client_.texts.size(), 1U);

  End({.code = 0});

  EXPECT_EQ(client_.closed, std::pair(1000, std::string()));
  client_.heard = nullptr;
  EXPECT_TRUE(is_held_.expired());
  EXPECT_TRUE(gate_.WaitUntilNone(Duration(0)));
}

TEST_F(ApiStreamTest, AnEndWithAnErrorIsToldBehindTheLastResponse) {
  Respond(1);
  End({.code = 14, .message = "the broker stops"});
  EXPECT_EQ(client_.texts.size(), 1U) << "the response is still being written";
  Read();

  ASSERT_EQ(client_.texts.size(), 2U);
  EXPECT_EQ(json::parse(client_.texts[1])["error"]["message"], "the broker stops");
  EXPECT_FALSE(client_.closed);
  Read();
  EXPECT_EQ(client_.closed, std::pair(4014, std::string("UNAVAILABLE")));
}

// Nothing that was taken goes without its answer.
TEST_F(ApiStreamTest, ATextThatIsNoRequestEndsItBehindTheAnswersOfThoseBefore) {
  Say(Request(1));
  Take();
  Say(R"({"requestIt": "2"})");
  EXPECT_TRUE(door_.has_all_requests);
  EXPECT_FALSE(door_.is_let_go);
  Respond(1);
  Read();
  End({.code = 0});

  EXPECT_EQ(json::parse(client_.texts.at(1))["error"]["message"],
            "requestIt: there is no such field");
  Read();
  EXPECT_EQ(client_.closed->first, 4003);
}

TEST_F(ApiStreamTest, AClientThatGoesEndsTheStreamAndNothingIsSaidToIt) {
  Say(std::nullopt);
  EXPECT_TRUE(door_.is_let_go);
  EXPECT_TRUE(client_.is_dropped);
  EXPECT_FALSE(is_held_.expired()) << "the broker has still to be through with it";

  door_.TellOver();
  Run();
  EXPECT_TRUE(client_.texts.empty());
  EXPECT_TRUE(is_held_.expired());
}

TEST_F(ApiStreamTest, WithoutRoomForAnswersTheNextResponseWaits) {
  Say(Request(1));
  Respond(1);
  has_room_ = false;
  Read();
  EXPECT_EQ(door_.reads, 1);
  has_room_ = true;
  RunUntil([this] { return door_.reads == 2; });
}

TEST_F(ApiStreamTest, WhoSignsOutHasItNoMore) {
  Say(Request(1));
  is_signed_in_ = false;
  RunUntil([this] { return door_.is_let_go; });
  door_.TellOver();
  RunUntil([this] { return !client_.texts.empty(); });
  EXPECT_EQ(json::parse(client_.texts.at(0))["error"]["code"], "Unauthorized");
  Read();
  EXPECT_EQ(client_.closed->first, 4016);
}

TEST_F(ApiStreamTest, WhoAsksForNothingHasItNotForLong) {
  RunUntil([this] { return door_.is_let_go; });
  door_.TellOver();
  RunUntil([this] { return !client_.texts.empty(); });
  Read();
  EXPECT_EQ(client_.closed->first, 4004);
}

TEST_F(ApiStreamTest, WhoHasAskedOnceMayBeSilent) {
  Say(Request(1));
  io_.restart();
  io_.run_for(std::chrono::milliseconds(200));
  EXPECT_FALSE(door_.is_let_go);
}

TEST_F(ApiStreamTest, AClientThatDoesNotReadEndsTheStream) {
  Respond(1);
  Read(/*is_written=*/false);
  EXPECT_TRUE(door_.is_let_go);
  EXPECT_TRUE(client_.is_dropped);
}

}  // namespace
}  // namespace wharf::console
