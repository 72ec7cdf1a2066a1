#include "broker/doors/http/http_post.h"

#include <fstream>
#include <future>
#include <string>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replication/identity/peer_authority.h"
#include "storage/base/broker_clock.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using ::testing::HasSubstr;

// Takes one request and answers with these bytes; with none it keeps the connection until its end.
class OneAnswer {
 public:
  explicit OneAnswer(std::string answer)
      : thread_([this, answer = std::move(answer)] { Serve(answer); }) {}
  ~OneAnswer() {
    leave_.set_value();
    tcp::socket last(context_);
    error_code ignored;
    last.connect(acceptor_.local_endpoint(), ignored);  // If nobody ever came.
    thread_.join();
  }

  HttpPlace place() const {
    return {"127.0.0.1", std::to_string(acceptor_.local_endpoint().port()), "/v1/traces?a=b",
            nullptr};
  }
  std::string TakeRequest() { return request_.get_future().get(); }

 private:
  void Serve(const std::string& answer) {
    tcp::socket socket = acceptor_.accept();
    asio::streambuf read;
    error_code left;
    asio::read_until(socket, read, "{1}", left);
    request_.set_value({asio::buffers_begin(read.data()), asio::buffers_end(read.data())});
    if (!answer.empty()) {
      asio::write(socket, asio::buffer(answer), left);
      socket.close();
    }
    leave_.get_future().wait();
  }

  asio::io_context context_;
  tcp::acceptor acceptor_{context_, {asio::ip::address_v4::loopback(), 0}};
  std::promise<std::string> request_;
  std::promise<void> leave_;
  std::thread thread_;
};

Status Post(const HttpPlace& place) {
  return PostJson(place, "{1}", std::chrono::minutes(1), std::stop_token());
}

TEST(HttpPostTest, AServerGetsTheRequestWhole) {
  OneAnswer server("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");

  EXPECT_EQ(Post(server.place()), Status());

  const std::string request = server.TakeRequest();
  EXPECT_THAT(request, ::testing::StartsWith("POST /v1/traces?a=b HTTP/1.1\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nHost: 127.0.0.1:" + server.place().port + "\r\n"));
  EXPECT_THAT(request, HasSubstr("\r\nContent-Type: application/json\r\n"));
  EXPECT_THAT(request, ::testing::EndsWith("\r\nContent-Length: 3\r\n\r\n{1}"));
}

TEST(HttpPostTest, AnyOtherAnswerIsAFailureWithItsReason) {
  for (const auto& [answer, why] :
       {std::pair<std::string, std::string>{"HTTP/1.1 429 Too Many\r\n\r\n",
                                            "it answers 429 Too Many"},
        {"HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n", "it answers 302 Found"},
        {"SSH-2.0-x\r\n\r\n", "bad version"},
        {"HTTP/1.1 200 OK\r\nA: " + std::string(64 * 1024, 'a'), "header limit exceeded"}}) {
    OneAnswer server(answer);
    EXPECT_THAT(Post(server.place()).message(),
                HasSubstr("127.0.0.1:" + server.place().port + ": " + why));
  }
}

TEST(HttpPostTest, WhereNobodyListensItFails) {
  asio::io_context context;
  tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
  const std::string port = std::to_string(acceptor.local_endpoint().port());
  acceptor.close();

  EXPECT_THAT(Post({"127.0.0.1", port, "/", nullptr}).message(), HasSubstr("Connection refused"));
}

// A server that proves who it is with this certificate, and takes one request.
class TlsAnswer {
 public:
  explicit TlsAnswer(const PemPair& identity) {
    context_.use_certificate(asio::buffer(identity.certificate), asio::ssl::context::pem);
    context_.use_private_key(asio::buffer(identity.key), asio::ssl::context::pem);
    thread_ = std::thread([this] { Serve(); });
  }

  HttpPlace PlaceFor(const HttpTrust& trust) const {
    return {"127.0.0.1", std::to_string(acceptor_.local_endpoint().port()), "/v1/traces", trust};
  }
  // What came; empty if nothing was said.
  std::string TakeRequest() {
    thread_.join();
    return request_;
  }

 private:
  void Serve() {
    asio::ssl::stream<tcp::socket> stream(acceptor_.accept(), context_);
    error_code failed;
    stream.handshake(asio::ssl::stream_base::server, failed);
    if (failed) return;
    asio::streambuf read;
    asio::read_until(stream, read, "{1}", failed);
    request_ = {asio::buffers_begin(read.data()), asio::buffers_end(read.data())};
    const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    asio::write(stream, asio::buffer(answer), failed);
  }

  asio::io_context io_;
  asio::ssl::context context_{asio::ssl::context::tls_server};
  tcp::acceptor acceptor_{io_, {asio::ip::address_v4::loopback(), 0}};
  std::string request_;
  std::thread thread_;
};

class HttpPostUnderTlsTest : public ::testing::Test {
 protected:
  HttpPostUnderTlsTest() { std::ofstream(file_) << authority_.certificate; }

  PemPair Sign(const std::string& address) const {
    return *SignNode(authority_, "collector", {address}, validity_);
  }

  const Validity validity_{BrokerClock::SystemSources().wall() - std::chrono::hours(1),
                           BrokerClock::SystemSources().wall() + std::chrono::hours(1)};
  const PemPair authority_ = *MakeAuthority(validity_);
  const TempFolder folder_;
  const std::string file_ = folder_.path() + "/authority.pem";
};

TEST_F(HttpPostUnderTlsTest, WhoIsVouchedForGetsTheRequest) {
  TlsAnswer server(Sign("127.0.0.1"));

  EXPECT_EQ(Post(server.PlaceFor(*TrustIn(file_))), Status());

  EXPECT_THAT(server.TakeRequest(), ::testing::EndsWith("\r\n\r\n{1}"));
}

TEST_F(HttpPostUnderTlsTest, NothingIsSaidToAnybodyElse) {
  for (const auto& [trust, address] :
       {std::pair{*TrustIn(""), "127.0.0.1"}, {*TrustIn(file_), "127.0.0.2"}}) {
    TlsAnswer server(Sign(address));

    EXPECT_THAT(Post(server.PlaceFor(trust)).message(), HasSubstr("certificate verify failed"));

    EXPECT_EQ(server.TakeRequest(), "");
  }
}

TEST(HttpPostTest, AFileWithoutAuthorityIsNamed) {
  EXPECT_THAT(TrustIn("/nowhere/ca.pem").status().message(),
              HasSubstr("/nowhere/ca.pem: it has no certificate in PEM"));
}

TEST(HttpPostTest, WhoDoesNotAnswerIsLeftWhenTimeIsOver) {
  OneAnswer server("");

  const Status left =
      PostJson(server.place(), "{1}", std::chrono::milliseconds(50), std::stop_token());

  EXPECT_THAT(left.message(), HasSubstr("it did not answer in time"));
}

TEST(HttpPostTest, WhoHurriesWaitsNoMore) {
  OneAnswer server("");
  std::stop_source hurry;
  auto posted = std::async(std::launch::async, [&] {
    return PostJson(server.place(), "{1}", std::chrono::minutes(1), hurry.get_token());
  });
  server.TakeRequest();

  hurry.request_stop();

  EXPECT_FALSE(posted.get().ok());
}

}  // namespace
}  // namespace wharf
