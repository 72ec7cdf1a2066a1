#include "broker/grpc/send_stream.h"

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <wharf/v1/messaging.pb.h>

#include "broker/grpc/call.h"
#include "broker/grpc/convert.h"

namespace wharf {
namespace {

// Requests of one stream that may wait for their receipts to be written.
constexpr std::size_t kRequestsMax = 256;
// Bytes of these requests.
constexpr std::size_t kBytesMax = 8 * 1024 * 1024;

// Callbacks of gRPC come on its threads, answers on the shard's; state is guarded by mutex_.
class SendStream final : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  explicit SendStream(Broker& broker) : broker_(broker) { StartRead(&read_); }

  void OnReadDone(bool ok) override {
    if (!ok) return OnEndOfRequests(grpc::Status::OK);
    const std::size_t bytes = read_.Length();
    google::protobuf::Arena arena;
    auto* request = google::protobuf::Arena::CreateMessage<v1::SendStreamRequest>(&arena);
    if (Status bad = Parse(read_, request); !bad.ok()) return OnEndOfRequests(ToGrpc(bad, ""));
    HandleRequest(*request, bytes);
    std::unique_lock lock(mutex_);
    is_reading_ = CanRead();
    if (is_reading_) {
      lock.unlock();
      StartRead(&read_);
    }
  }

  void OnWriteDone(bool ok) override {
    std::unique_lock lock(mutex_);
    is_writing_ = false;
    if (!ok) is_broken_ = true;
    Advance(lock);
  }

  // What was sent before is carried out all the same; its receipts have no reader.
  void OnCancel() override {
    std::unique_lock lock(mutex_);
    is_broken_ = true;
  }

  void OnDone() override { delete this; }

 private:
  // A request on its way, and its receipt when it is there.
  struct Pending {
    std::uint64_t request_id = 0;
    std::size_t bytes = 0;
    std::optional<grpc::ByteBuffer> receipt;
  };

  void HandleRequest(v1::SendStreamRequest& request, std::size_t bytes) {
    // A chunk belongs to a header that was answered; it has no answer of its own.
    if (request.has_chunk()) return;
    Pending* pending = Add(request.request_id(), bytes);
    if (request.has_header()) {
      return Answer(pending, request.header().entity_path(), 1,
                    Status(ErrorCode::kNotImplemented,
                           "messages over 1 MiB are not offered by this version of Wharf"));
    }
    v1::SendRequest& send = *request.mutable_send();
    std::string path = send.entity_path();
    const auto count = static_cast<std::size_t>(send.messages_size());
    Result<std::vector<Message>> messages = FromProto(*send.mutable_messages());
    if (!messages.ok()) return Answer(pending, path, count, messages.status());
    broker_.Send(path, *std::move(messages), send.atomic(),
                 [this, pending, path, count](const Result<SendReceipt>& receipt) {
                   Answer(pending, path, count, receipt);
                 });
  }

  // Elements of a deque stay where they are while others come and go at its ends.
  Pending* Add(std::uint64_t request_id, std::size_t bytes) {
    std::unique_lock lock(mutex_);
    pending_.push_back({request_id, bytes, std::nullopt});
    bytes_ += bytes;
    return &pending_.back();
  }

  void Answer(Pending* pending, const std::string& path, std::size_t count,
              const Result<SendReceipt>& receipt) {
    v1::SendStreamResponse response;
    response.set_request_id(pending->request_id);
    for (std::size_t i = 0; i < count; ++i) {
      ToProto(receipt.ok() ? (*receipt)[i] : Result<SequenceNumber>(receipt.status()), path,
              response.add_results());
    }
    grpc::ByteBuffer bytes = Serialize(response);
    std::unique_lock lock(mutex_);
    pending->receipt = std::move(bytes);
    Advance(lock);
  }

  void OnEndOfRequests(grpc::Status status) {
    std::unique_lock lock(mutex_);
    is_reading_ = false;
    finish_with_ = std::move(status);
    Advance(lock);
  }

  bool CanRead() const { return pending_.size() < kRequestsMax && bytes_ < kBytesMax; }

  // Does the one next thing that can be done: write a receipt, read on, or finish. Called with the
  // lock held; releases it, because gRPC may call back at once.
  void Advance(std::unique_lock<std::mutex>& lock) {
    const bool writes = TakeReceipt();
    const bool reads = !is_reading_ && !finish_with_ && CanRead();
    if (reads) is_reading_ = true;
    const bool finishes = finish_with_ && pending_.empty() && !is_writing_ && !is_finished_;
    if (finishes) is_finished_ = true;
    lock.unlock();
    if (reads) StartRead(&read_);
    if (writes) StartWrite(&write_);
    if (finishes) Finish(*finish_with_);
  }

  // Moves the oldest receipt into write_, if it is its turn. Nobody reads those of a broken stream.
  bool TakeReceipt() {
    while (!is_writing_ && !pending_.empty() && pending_.front().receipt) {
      write_ = *std::move(pending_.front().receipt);
      bytes_ -= pending_.front().bytes;
      pending_.pop_front();
      if (is_broken_) continue;
      is_writing_ = true;
      return true;
    }
    return false;
  }

  Broker& broker_;
  // Owned by whoever reads or writes.
  grpc::ByteBuffer read_;
  grpc::ByteBuffer write_;

  std::mutex mutex_;
  // Guarded by mutex_.
  std::deque<Pending> pending_;
  std::size_t bytes_ = 0;
  bool is_reading_ = true;
  bool is_writing_ = false;
  bool is_broken_ = false;
  bool is_finished_ = false;
  std::optional<grpc::Status> finish_with_;
};

}  // namespace

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* StartSendStream(Broker& broker) {
  return new SendStream(broker);
}

}  // namespace wharf
