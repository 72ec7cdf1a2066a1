// large_calls: many sends of messages of a MiB each, begun one after the other without waiting for
// an answer, and how they end.
//
//   large_calls ADDRESS QUEUE CALLS MESSAGES SECONDS CONNECTIONS PAUSE
//
// A call has so many messages and so many seconds; behind each is a pause of so many milliseconds.
//
// All of them send the same buffer, so that it is the broker whose memory is measured. Prints a
// line for each way in which calls ended, "<status code> <reason> <count>", and last "slowest
// <seconds>".

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
};

// As large as a message may be, less what else there is of it.
constexpr std::size_t kBodyBytes = 1024 * 1024 - 4096;

grpc::ByteBuffer RequestOf(const std::string& queue, int messages) {
  v1::SendRequest request;
  request.set_entity_path(queue);
  for (int i = 0; i < messages; ++i) request.add_messages()->set_body(std::string(kBodyBytes, 'x'));
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

void Run(const std::string& address, const grpc::ByteBuffer& request, int count, int seconds,
         int connections, std::chrono::milliseconds pause) {
  const auto stubs = Connect(address, connections);
  grpc::CompletionQueue done;
  std::vector<std::unique_ptr<Call>> calls;
  const auto begin = Clock::now();
  for (int i = 0; i < count; ++i) {
    Call& call = *calls.emplace_back(std::make_unique<Call>());
    call.context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(seconds));
    call.reader = stubs[static_cast<std::size_t>(i % connections)]->PrepareUnaryCall(
        &call.context, "/wharf.v1.Messaging/Send", request, &done);
    call.reader->StartCall();
    call.reader->Finish(&call.response, &call.status, &call);
    std::this_thread::sleep_for(pause);
  }
  std::map<std::pair<int, std::string>, int> ends;
  double slowest = 0;
  for (int i = 0; i < count; ++i) {
    void* tag = nullptr;
    bool ok = false;
    if (!done.Next(&tag, &ok)) std::abort();
    const grpc::Status& status = static_cast<Call*>(tag)->status;
    ++ends[{status.error_code(), ReasonOf(status)}];
    slowest = std::chrono::duration<double>(Clock::now() - begin).count();
  }
  for (const auto& [end, how_many] : ends) {
    std::printf("%d %s %d\n", end.first, end.second.c_str(), how_many);
  }
  std::printf("slowest %.1f\n", slowest);
}

}  // namespace
}  // namespace wharf

int main(int argc, char** argv) {
  if (argc != 8) return 2;
  wharf::Run(argv[1], wharf::RequestOf(argv[2], std::atoi(argv[4])), std::atoi(argv[3]),
             std::atoi(argv[5]), std::atoi(argv[6]), std::chrono::milliseconds(std::atoi(argv[7])));
  return 0;
}
