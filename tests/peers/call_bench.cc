// call_bench: the same single calls over HTTP and over gRPC, by clients that cost little.
//
//   call_bench http|grpc send|receive|latency PORT QUEUE CLIENTS SIZE MESSAGES
//
// CLIENTS, each with a connection that it keeps and a thread that waits for one answer at a time.
// `send` sends MESSAGES together, of SIZE bytes. `receive` takes as many, which are there: each is
// locked by one call and completed by the next, over HTTP by its URL. `latency` sends one at a time
// on one connection, whatever CLIENTS says. QUEUE is at 127.0.0.1, and nobody has to prove anything
// there. Prints one line of JSON.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <latch>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <fmt/core.h>
#include <grpcpp/grpcpp.h>
#include <wharf/v1/messaging.grpc.pb.h>

namespace wharf {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kConnectMax{30};

struct Plan {
  std::string door;
  std::string mode;
  std::uint16_t port = 0;
  std::string queue;
  int clients = 0;
  std::size_t size = 0;
  long messages = 0;
};

[[noreturn]] void Fail(const std::string& what) {
  fmt::print(stderr, "call_bench: {}\n", what);
  // Others may be at work.
  std::_Exit(1);
}

// One connection, used by one thread.
class Caller {
 public:
  virtual ~Caller() = default;
  virtual void Send() = 0;
  // Locks the next message and completes it.
  virtual void Receive() = 0;
};

class HttpCaller final : public Caller {
 public:
  explicit HttpCaller(const Plan& plan)
      : path_("/" + plan.queue + "/messages"),
        send_(RequestFor(http::verb::post, path_, std::string(plan.size, 'x'))),
        lock_(RequestFor(http::verb::post, path_ + "/head?timeout=30")) {
    socket_.connect({asio::ip::address_v4::loopback(), plan.port});
    socket_.set_option(asio::ip::tcp::no_delay(true));
  }

  void Send() override { Ask(send_, http::status::created); }

  void Receive() override {
    const Answer locked = Ask(lock_, http::status::created);
    const std::string place(locked[http::field::location]);
    const std::size_t path = place.find(path_);
    if (path == std::string::npos) Fail("a lock without a place");
    Ask(RequestFor(http::verb::delete_, place.substr(path)), http::status::ok);
  }

 private:
  using Request = http::request<http::string_body>;
  using Answer = http::response<http::string_body>;

  static Request RequestFor(http::verb verb, const std::string& target, std::string body = {}) {
    Request request(verb, target, 11, std::move(body));
    request.set(http::field::host, "localhost");
    request.prepare_payload();
    return request;
  }

  Answer Ask(const Request& request, http::status wanted) {
    http::write(socket_, request);
    Answer answer;
    http::read(socket_, buffer_, answer);
    if (answer.result() != wanted) {
      Fail(fmt::format("answered {}: {}", answer.result_int(), answer.body()));
    }
    return answer;
  }

  const std::string path_;
  const Request send_;
  const Request lock_;
  asio::io_context io_{1};
  asio::ip::tcp::socket socket_{io_};
  boost::beast::flat_buffer buffer_;
};

class GrpcCaller final : public Caller {
 public:
  explicit GrpcCaller(const Plan& plan) : stub_(ChannelTo(plan.port)) {
    send_.set_entity_path(plan.queue);
    send_.add_messages()->set_body(std::string(plan.size, 'x'));
    lock_.set_entity_path(plan.queue);
    lock_.set_max_messages(1);
    lock_.mutable_max_wait()->set_seconds(30);
    lock_.set_mode(v1::RECEIVE_MODE_PEEK_LOCK);
  }

  void Send() override {
    v1::SendResponse sent;
    Ask(&v1::Messaging::Stub::Send, send_, sent);
    if (sent.results_size() != 1 || sent.results(0).has_error()) Fail("a message was not taken");
  }

  void Receive() override {
    v1::ReceiveResponse received;
    Ask(&v1::Messaging::Stub::Receive, lock_, received);
    if (received.messages_size() != 1) Fail("there is no message");
    v1::SettleRequest settle;
    settle.set_entity_path(lock_.entity_path());
    settle.mutable_settlement()->add_lock_tokens(received.messages(0).lock_token());
    settle.mutable_settlement()->mutable_complete();
    v1::SettleResponse settled;
    Ask(&v1::Messaging::Stub::Settle, settle, settled);
  }

 private:
  // With a connection of its own, which channels of equal options would share; and connected, as
  // over HTTP. gRPC 1.51 may take the errno of a later call for that of its connect, and calls a
  // connection failed that is on its way (grpc/grpc 35064): here it tries again.
  static std::shared_ptr<grpc::Channel> ChannelTo(std::uint16_t port) {
    grpc::ChannelArguments options;
    options.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    auto channel = grpc::CreateCustomChannel(fmt::format("127.0.0.1:{}", port),
                                             grpc::InsecureChannelCredentials(), options);
    if (!channel->WaitForConnected(std::chrono::system_clock::now() + kConnectMax)) {
      Fail(fmt::format("nobody is at port {}", port));
    }
    return channel;
  }

  template <typename Request, typename Response>
  void Ask(grpc::Status (v1::Messaging::Stub::*method)(grpc::ClientContext*, const Request&,
                                                       Response*),
           const Request& request, Response& response) {
    grpc::ClientContext context;
    const grpc::Status status = (stub_.*method)(&context, request, &response);
    if (!status.ok()) Fail("a call: " + status.error_message());
  }

  v1::Messaging::Stub stub_;
  v1::SendRequest send_;
  v1::ReceiveRequest lock_;
};

std::unique_ptr<Caller> MakeCaller(const Plan& plan) {
  if (plan.door == "http") return std::make_unique<HttpCaller>(plan);
  return std::make_unique<GrpcCaller>(plan);
}

// What breaks ends all of it: a figure of some of the clients is none.
void RunClient(const Plan& plan, std::atomic<long>& taken, std::latch& are_there) try {
  const std::unique_ptr<Caller> caller = MakeCaller(plan);
  are_there.arrive_and_wait();
  while (taken.fetch_add(1) < plan.messages) {
    plan.mode == "receive" ? caller->Receive() : caller->Send();
  }
} catch (const std::exception& wrong) {
  Fail(wrong.what());
}

// The clock runs from the moment all are connected until the last one has its last answer.
std::chrono::duration<double> Run(const Plan& plan) {
  std::atomic<long> taken = 0;
  std::latch are_there(plan.clients + 1);
  std::vector<std::thread> threads;
  for (int i = 0; i < plan.clients; ++i) {
    threads.emplace_back([&] { RunClient(plan, taken, are_there); });
  }
  are_there.arrive_and_wait();
  const auto begin = Clock::now();
  for (std::thread& thread : threads) thread.join();
  return Clock::now() - begin;
}

void Measure(const Plan& plan) {
  const std::chrono::duration<double> took = Run(plan);
  fmt::print(
      "{{\"door\": \"{}\", \"mode\": \"{}\", \"clients\": {}, \"size\": {}, \"messages\": {}, "
      "\"seconds\": {:.3f}, \"messages_per_second\": {:.0f}}}\n",
      plan.door, plan.mode, plan.clients, plan.size, plan.messages, took.count(),
      static_cast<double>(plan.messages) / took.count());
}

void MeasureLatency(const Plan& plan) {
  const std::unique_ptr<Caller> caller = MakeCaller(plan);
  caller->Send();
  std::vector<double> took;
  for (long i = 0; i < plan.messages; ++i) {
    const auto begin = Clock::now();
    caller->Send();
    took.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  std::sort(took.begin(), took.end());
  fmt::print(
      "{{\"door\": \"{}\", \"mode\": \"latency\", \"size\": {}, \"messages\": {}, \"p50\": {:.0f}, "
      "\"p99\": {:.0f}}}\n",
      plan.door, plan.size, plan.messages, took[took.size() / 2], took[took.size() * 99 / 100]);
}

bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

int Main(int count, char** words) {
  if (count != 8 || !IsOneOf(words[1], {"http", "grpc"}) ||
      !IsOneOf(words[2], {"send", "receive", "latency"})) {
    fmt::print(stderr,
               "usage: call_bench http|grpc send|receive|latency PORT QUEUE CLIENTS SIZE "
               "MESSAGES\n");
    return 2;
  }
  const Plan plan{.door = words[1],
                  .mode = words[2],
                  .port = static_cast<std::uint16_t>(std::atoi(words[3])),
                  .queue = words[4],
                  .clients = std::atoi(words[5]),
                  .size = static_cast<std::size_t>(std::atol(words[6])),
                  .messages = std::atol(words[7])};
  if (plan.clients < 1 || plan.messages < 1) Fail("there is nothing to do");
  try {
    plan.mode == "latency" ? MeasureLatency(plan) : Measure(plan);
  } catch (const std::exception& wrong) {
    Fail(wrong.what());
  }
  return 0;
}

}  // namespace
}  // namespace wharf

int main(int count, char** words) { return wharf::Main(count, words); }
