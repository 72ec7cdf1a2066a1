#include "broker/doors/grpc/inner_stream.h"

#include <atomic>
#include <optional>
#include <string>
#include <utility>

#include "broker/doors/grpc/byte_buffers.h"
#include "broker/doors/grpc/inner_channel.h"

namespace wharf {
namespace {

// gRPC has it until it has called OnDone, which it does not before its owner has let go of it.
class Reactor final : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  Reactor(VouchedCallers& vouched, Caller caller, InnerCalls::StreamEvents events)
      : handle_(vouched.Vouch(std::move(caller))), events_(std::move(events)) {
    context_.AddMetadata(kVouchedMetadata, handle_->text());
  }

  void Start(grpc::GenericStub& stub, const std::string& method) {
    stub.PrepareBidiStreamingCall(&context_, method, {}, this);
    AddHold();
    StartCall();
  }
  void Read() { StartRead(&read_); }
  void Write(const std::string& request) {
    written_ = BufferOf(request);
    StartWrite(&written_);
  }
  void EndWrites() { StartWritesDone(); }
  void LetGo() {
    if (!has_ended_) context_.TryCancel();
    RemoveHold();
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      has_ended_ = true;
      return events_.on_read(std::nullopt);
    }
    std::string response = BytesOf(read_);
    read_.Clear();
    events_.on_read(std::move(response));
  }
  void OnWriteDone(bool ok) override { events_.on_written(ok); }
  void OnDone(const grpc::Status& status) override {
    const std::unique_ptr<Reactor> self(this);
    handle_.reset();
    events_.on_over({.code = static_cast<int>(status.error_code()),
                     .message = status.error_message(),
                     .details = status.error_details()});
  }

 private:
  std::unique_ptr<VouchedCallers::Handle> handle_;
  const InnerCalls::StreamEvents events_;
  grpc::ClientContext context_;
  grpc::ByteBuffer read_;
  grpc::ByteBuffer written_;
  // It is over by itself, so that how it ended is to be told.
  std::atomic<bool> has_ended_ = false;
};

class InnerStream final : public InnerCalls::Stream {
 public:
  explicit InnerStream(Reactor& reactor) : reactor_(reactor) {}
  ~InnerStream() override { reactor_.LetGo(); }
  InnerStream(const InnerStream&) = delete;
  InnerStream& operator=(const InnerStream&) = delete;

  void Read() override { reactor_.Read(); }
  void Write(const std::string& request) override { reactor_.Write(request); }
  void EndWrites() override { reactor_.EndWrites(); }

 private:
  // There until it is let go of.
  Reactor& reactor_;
};

}  // namespace

std::unique_ptr<InnerCalls::Stream> OpenInnerStream(grpc::GenericStub& stub,
                                                    VouchedCallers& vouched, InnerCalls::Call call,
                                                    InnerCalls::StreamEvents events) {
  auto reactor = std::make_unique<Reactor>(vouched, std::move(call.caller), std::move(events));
  Reactor& started = *reactor.release();
  started.Start(stub, call.method);
  return std::make_unique<InnerStream>(started);
}

}  // namespace wharf
