// echo_bench: how long a message would take at least, one at a time: over a stream to a server that
// sends it back at once, and onto the disk.
//
//   echo_bench FOLDER SIZE MESSAGES
//
// The server is a process of its own and speaks gRPC by callbacks, as the broker does; the file, in
// FOLDER, has its space already, as the broker's log has. Run by tools/compare. Prints one line of
// JSON: both medians, and their sum as p50, in microseconds.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <grpcpp/grpcpp.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wharf/v1/messaging.grpc.pb.h>

namespace wharf {
namespace {

constexpr std::size_t kFileBytes = std::size_t{64} << 20;

[[noreturn]] void Fail(const std::string& what) {
  fmt::print(stderr, "echo_bench: {} failed\n", what);
  std::_Exit(1);
}

class Echo final : public grpc::ServerBidiReactor<v1::SendStreamRequest, v1::SendStreamResponse> {
 public:
  Echo() { StartRead(&request_); }

 private:
  void OnReadDone(bool is_ok) override {
    if (!is_ok) return Finish(grpc::Status::OK);
    response_.set_request_id(request_.request_id());
    response_.clear_results();
    for (int i = 0; i < request_.send().messages_size(); ++i) response_.add_results();
    StartWrite(&response_);
  }
  void OnWriteDone(bool is_ok) override {
    if (is_ok) StartRead(&request_);
  }
  void OnDone() override { delete this; }

  v1::SendStreamRequest request_;
  v1::SendStreamResponse response_;
};

class EchoService final : public v1::Messaging::CallbackService {
  grpc::ServerBidiReactor<v1::SendStreamRequest, v1::SendStreamResponse>* SendStream(
      grpc::CallbackServerContext* /*context*/) override {
    return new Echo();
  }
};

// Says its port, and serves until it is killed.
[[noreturn]] void Serve(int says) {
  EchoService service;
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr || write(says, &port, sizeof port) != sizeof port) Fail("the server");
  server->Wait();
  std::_Exit(0);
}

// Microseconds that half of so many take at most.
double MedianOf(long times, const std::function<void()>& what) {
  std::vector<double> took;
  for (long i = 0; i < times; ++i) {
    const auto began = std::chrono::steady_clock::now();
    what();
    const std::chrono::duration<double, std::micro> span = std::chrono::steady_clock::now() - began;
    took.push_back(span.count());
  }
  std::nth_element(took.begin(), took.begin() + times / 2, took.end());
  return took[static_cast<std::size_t>(times / 2)];
}

double MeasureEcho(int port, std::size_t size, long messages) {
  const auto stub = v1::Messaging::NewStub(
      grpc::CreateChannel(fmt::format("127.0.0.1:{}", port), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  const auto stream = stub->SendStream(&context);
  v1::SendStreamRequest request;
  request.mutable_send()->set_entity_path("bench");
  request.mutable_send()->add_messages()->set_body(std::string(size, 'x'));
  v1::SendStreamResponse response;
  std::uint64_t id = 0;
  return MedianOf(messages, [&] {
    request.set_request_id(++id);
    if (!stream->Write(request) || !stream->Read(&response)) Fail("the stream");
  });
}

double MeasureDisk(const std::string& path, std::size_t size, long messages) {
  const int file = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600);
  const std::string zeros(kFileBytes, '\0');
  const bool is_there =
      file >= 0 && write(file, zeros.data(), zeros.size()) == static_cast<ssize_t>(zeros.size());
  if (!is_there || fdatasync(file) != 0) Fail("the file");
  const std::string body(size, 'x');
  std::size_t place = 0;
  const double median = MedianOf(messages, [&] {
    place = place + size > kFileBytes ? 0 : place;
    const ssize_t written = pwrite(file, body.data(), size, static_cast<off_t>(place));
    if (written != static_cast<ssize_t>(size) || fdatasync(file) != 0) Fail("a write");
    place += size;
  });
  close(file);
  unlink(path.c_str());
  return median;
}

int Main(int count, char** words) {
  if (count != 4) {
    fmt::print(stderr, "usage: echo_bench FOLDER SIZE MESSAGES\n");
    return 2;
  }
  const std::size_t size = std::strtoull(words[2], nullptr, 10);
  const long messages = std::atol(words[3]);
  if (size == 0 || size > kFileBytes || messages < 1) Fail("nothing to do, or too much: it");
  // Before gRPC has threads.
  int says[2];
  if (pipe(says) != 0) Fail("a pipe");
  const pid_t server = fork();
  if (server == 0) Serve(says[1]);
  int port = 0;
  if (server < 0 || read(says[0], &port, sizeof port) != sizeof port) Fail("the server");
  const double echo = MeasureEcho(port, size, messages);
  kill(server, SIGKILL);
  waitpid(server, nullptr, 0);
  const double disk = MeasureDisk(std::string(words[1]) + "/echo_bench", size, messages);
  fmt::print(
      "{{\"peer\": \"echo\", \"mode\": \"latency\", \"size\": {}, \"messages\": {}, \"echo\": "
      "{:.0f}, \"fdatasync\": {:.0f}, \"p50\": {:.0f}}}\n",
      size, messages, echo, disk, echo + disk);
  return 0;
}

}  // namespace
}  // namespace wharf

int main(int count, char** words) { return wharf::Main(count, words); }
