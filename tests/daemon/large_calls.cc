// large_calls: many sends that are begun one after the other without waiting for an answer, and how
// they end.
//
//   large_calls ADDRESS QUEUE CALLS KIB SECONDS CONNECTIONS PAUSE AGAIN
//
// A call has so many KiB, as messages of a MiB or less, and so many seconds; behind each is a pause
// of so many milliseconds. In the first AGAIN seconds another one is begun when one ends, as a
// producer does.
//
// All of them send the same buffer, so that it is the broker whose memory is measured. Prints a
// line for each way in which calls ended, "<status code> <reason> <count>", and last "slowest
// <seconds>", of one call.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <wharf/v1/messaging.pb.h>

namespace wharf {
namespace {

using Clock = std::chrono::steady_clock;

struct Call {
  grpc::ClientContext context;
  std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader;
  grpc::ByteBuffer response;
  grpc::Status status;
  Clock::time_point begin;
};

constexpr int kMessageKibMax = 1024;
// What there is of a message besides its body, and more.
constexpr int kEnvelopeBytes = 4096;

grpc::ByteBuffer RequestOf(const std::string& queue, int kib) {
  v1::SendRequest request;
  request.set_entity_path(queue);
  for (; kib > 0; kib -= kMessageKibMax) {
    const int bytes = std::min(kib, kMessageKibMax) * 1024 - kEnvelopeBytes;
    request.add_messages()->set_body(std::string(static_cast<std::size_t>(bytes), 'x'));
  }
  const grpc::Slice slice(request.SerializeAsString());
  return grpc::ByteBuffer(&slice, 1);
}

// Why, in the broker's words; "gRPC" if it was not the broker who ended the call.
std::string ReasonOf(const grpc::Status& status) {
  google::rpc::Status details;
  google::rpc::ErrorInfo info;
  if (status.ok()) return "-";
  if (!details.ParseFromString(status.error_details()) || details.details().empty()) return "gRPC";
  for (const auto& detail : details.details()) {
    if (detail.UnpackTo(&info)) return info.reason();
  }
  return "gRPC";
}

std::vector<std::unique_ptr<grpc::GenericStub>> Connect(const std::string& address, int count) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  std::vector<std::unique_ptr<grpc::GenericStub>> stubs;
  for (int i = 0; i < count; ++i) {
    stubs.push_back(std::make_unique<grpc::GenericStub>(
        grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments)));
  }
  return stubs;
}

class Calls {
 public:
  Calls(const std::string& address, grpc::ByteBuffer request, int connections, int seconds)
      : stubs_(Connect(address, connections)), request_(std::move(request)), seconds_(seconds) {}

  void Begin() {
    auto* call = new Call();
    call->begin = Clock::now();
    call->context.set_deadline(std::chrono::system_clock::now() + seconds_);
    call->reader = stubs_[begun_++ % stubs_.size()]->PrepareUnaryCall(
        &call->context, "/wharf.v1.Messaging/Send", request_, &done_);
    call->reader->StartCall();
    call->reader->Finish(&call->response, &call->status, call);
    ++open_;
  }

  // Until none is left; another one is begun for each that ends before `again`.
  void Await(Clock::time_point again) {
    while (open_ > 0) {
      Note(Next());
      if (Clock::now() < again) Begin();
    }
  }

  void Print() const {
    for (const auto& [end, how_many] : ends_) {
      std::printf("%d %s %d\n", end.first, end.second.c_str(), how_many);
    }
    std::printf("slowest %.1f\n", slowest_);
  }

 private:
  std::unique_ptr<Call> Next() {
    void* tag = nullptr;
    bool ok = false;
    if (!done_.Next(&tag, &ok)) std::abort();
    --open_;
    return std::unique_ptr<Call>(static_cast<Call*>(tag));
  }

  void Note(const std::unique_ptr<Call>& call) {
    ++ends_[{call->status.error_code(), ReasonOf(call->status)}];
    const std::chrono::duration<double> took = Clock::now() - call->begin;
    slowest_ = std::max(slowest_, took.count());
  }

  const std::vector<std::unique_ptr<grpc::GenericStub>> stubs_;
  const grpc::ByteBuffer request_;
  const std::chrono::seconds seconds_;
  grpc::CompletionQueue done_;
  std::size_t begun_ = 0;
  int open_ = 0;
  std::map<std::pair<int, std::string>, int> ends_;
  double slowest_ = 0;
};

}  // namespace
}  // namespace wharf

int main(int argc, char** argv) {
  if (argc != 9) return 2;
  const auto number = [argv](int i) { return std::atoi(argv[i]); };
  const auto again = wharf::Clock::now() + std::chrono::seconds(number(8));
  wharf::Calls calls(argv[1], wharf::RequestOf(argv[2], number(4)), number(6), number(5));
  for (int i = 0; i < number(3); ++i) {
    calls.Begin();
    std::this_thread::sleep_for(std::chrono::milliseconds(number(7)));
  }
  calls.Await(again);
  calls.Print();
  return 0;
}
