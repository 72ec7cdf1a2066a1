// Sender: puts messages into one queue, many at a time.
//
// Messages that wait while a request is being written travel together in the next one. At most a
// window of messages is outstanding: beyond it Send blocks. Every message gets exactly one result.
// Made by Client; any thread may send. Callbacks run on a thread of gRPC, in the order of the
// messages, and must not block: from a callback use TrySend, never Send or Flush.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "tools/client/stream.h"
#include "wharf/v1/messaging.grpc.pb.h"

namespace wharf::client {

struct SenderOptions {
  std::size_t window_messages = 1024;
  std::size_t window_bytes = 16 << 20;
  // The largest request; a single message may be larger.
  std::size_t request_messages_max = 128;
  std::size_t request_bytes_max = 256 << 10;
};

struct SendReceipt {
  // 0 if it is a duplicate of a message whose number is no longer known.
  std::int64_t sequence_number = 0;
  // Dropped: the message of this number had the same message id.
  bool is_duplicate = false;
};

class Sender final : private Stream<v1::SendStreamRequest, v1::SendStreamResponse> {
 public:
  // The receipt, or why there is none. Outcome::kUnknown: the message was under way when the stream
  // broke.
  using Callback = absl::AnyInvocable<void(Result<SendReceipt>) &&>;

  Sender(std::shared_ptr<v1::Messaging::Stub> stub, std::string entity_path, SenderOptions options);
  // What is still outstanding is cut off and gets its result; Flush first to wait for it.
  ~Sender() override;

  // Waits for room in the window. `message` is moved from; its storage may be used for the next
  // one.
  void Send(v1::Message&& message, Callback callback);
  // False, and nothing happened, if the window is full.
  [[nodiscard]] bool TrySend(v1::Message&& message, Callback& callback);
  // Returns when nothing is outstanding and every callback has returned. The error, if the stream
  // broke.
  Status Flush();

  // How many requests were written so far.
  std::uint64_t request_count();

 private:
  // Messages that travel in one request, and whom to tell.
  struct Batch {
    v1::SendStreamRequest request;
    std::vector<Callback> callbacks;
    std::size_t bytes = 0;
    // A body that is too large for a request follows its header in chunks.
    std::string large_body;
    std::size_t large_body_offset = 0;
  };
  // A request that waits for its receipt.
  struct Promise {
    std::uint64_t request_id;
    std::vector<Callback> callbacks;
    std::size_t bytes;
  };

  const v1::SendStreamRequest* NextRequest() override;
  void OnWritten() override;
  void OnResponse(v1::SendStreamResponse& response) override;
  void OnEnded(const Status& status) override;

  bool HasRoom() const;
  void Enqueue(v1::Message&& message, Callback callback);
  void Depart(Callback refused);
  void EnqueueLarge(v1::Message&& message, Batch& batch);
  Batch& BatchFor(std::size_t bytes, bool is_large);
  std::unique_ptr<Batch> NewBatch();
  const v1::SendStreamRequest* NextChunk();
  void Recycle(std::unique_ptr<Batch> batch);

  // Constant after construction.
  const std::shared_ptr<v1::Messaging::Stub> stub_;
  const std::string entity_path_;
  const SenderOptions options_;

  // Guarded by mutex_.
  std::deque<std::unique_ptr<Batch>> waiting_;
  std::unique_ptr<Batch> writing_batch_;
  std::deque<Promise> under_way_;
  std::vector<std::unique_ptr<Batch>> spare_;
  std::size_t outstanding_messages_ = 0;
  std::size_t outstanding_bytes_ = 0;
  std::uint64_t last_request_id_ = 0;
};

}  // namespace wharf::client
