#include "broker/doors/grpc/inner_channel.h"

#include <chrono>
#include <string>
#include <utility>

#include "broker/doors/grpc/byte_buffers.h"
#include "broker/doors/grpc/inner_stream.h"

namespace wharf {
namespace {

// One that is under way. gRPC holds it until it has called back.
struct Under {
  std::unique_ptr<VouchedCallers::Handle> handle;
  grpc::ClientContext context;
  grpc::ByteBuffer request;
  grpc::ByteBuffer response;
  InnerCalls::Done done;
};

// Answers have the bounds of their methods, and no other.
grpc::ChannelArguments Arguments() {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  return arguments;
}

}  // namespace

InnerChannel::InnerChannel(grpc::Server& server, VouchedCallers& vouched)
    : vouched_(vouched), stub_(server.InProcessChannel(Arguments())) {}

InnerCalls::Cancel InnerChannel::Begin(Call call, Done done) {
  auto under = std::make_shared<Under>();
  under->request = BufferOf(call.request);
  under->done = std::move(done);
  if (call.caller.patience) {
    under->context.set_deadline(std::chrono::system_clock::now() + *call.caller.patience);
  }
  under->handle = vouched_.Vouch(std::move(call.caller));
  under->context.AddMetadata(kVouchedMetadata, under->handle->text());
  stub_.UnaryCall(&under->context, call.method, {}, &under->request, &under->response,
                  [under](const grpc::Status& status) {
                    under->handle.reset();
                    Answer answer{.code = static_cast<int>(status.error_code()),
                                  .message = status.error_message(),
                                  .details = status.error_details()};
                    if (status.ok()) answer.response = BytesOf(under->response);
                    std::move(under->done)(std::move(answer));
                  });
  return [weak = std::weak_ptr<Under>(under)] {
    if (const auto still = weak.lock()) still->context.TryCancel();
  };
}

std::unique_ptr<InnerCalls::Stream> InnerChannel::Open(Call call, StreamEvents events) {
  return OpenInnerStream(stub_, vouched_, std::move(call), std::move(events));
}

}  // namespace wharf
