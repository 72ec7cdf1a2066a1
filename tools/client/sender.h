// Sender: puts messages into one queue, many at a time.
//
// Messages that wait while a request is being written travel together in the next one. At most a
// window of messages is outstanding: beyond it Send blocks. Every message gets exactly one result.
// It is one stream: when that breaks the sender stays broken (ReconnectingSender makes new ones).
// Made by Client; any thread may send. Callbacks run on a thread of gRPC, in the order of the
// messages, and must not block: from a callback use TrySend, never Send or Flush.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "tools/client/endpoints.h"
#include "tools/client/stream.h"
#include "wharf/v1/messaging.grpc.pb.h"

namespace wharf::client {

struct SenderOptions {
  std::size_t window_messages = 1024;
  std::size_t window_bytes = 16 << 20;
  // The largest request; a single message may be larger.
  std::size_t request_messages_max = 128;
  std::size_t request_bytes_max = 256 << 10;
  // Messages with an id come back, too, if they may have been stored: for a queue that detects
  // duplicates. Whoever takes them back still owes them the word that the outcome is unknown.
  bool returns_unknown = false;
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
  // A message that was not stored because the broker stops or the connection broke, in the order of
  // the messages; its callback was not called. A thread of gRPC, or the one that sends.
  using ReturnedCallback =
      absl::AnyInvocable<void(v1::Message&& message, Callback callback, const Status& reason)>;

  // Without `on_returned` such messages get their result like all others.
  // On the endpoint that is asked now.
  Sender(std::shared_ptr<Endpoints> endpoints, std::string entity_path, SenderOptions options,
         ReturnedCallback on_returned);
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
  // Makes Send refuse instead of waiting for room, now and from now on. For a program that shall
  // end.
  void Interrupt();

  // How many requests were written so far.
  std::uint64_t request_count();
  // How many messages were stored so far, by their receipts.
  std::uint64_t receipt_count();

 private:
  // Messages that travel in one request, and whom to tell.
  struct Batch {
    v1::SendStreamRequest request;
    std::vector<Callback> callbacks;
    std::size_t bytes = 0;
    // A body that is too large for a request follows its header in chunks: the header of that.
    v1::Message large_header;
    std::string large_body;
    std::size_t large_body_offset = 0;
  };
  using Batches = std::deque<std::unique_ptr<Batch>>;

  const v1::SendStreamRequest* NextRequest() override ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void OnWritten() override ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void OnResponse(v1::SendStreamResponse& response) override;
  void OnEnded(const Status& status) override;

  void WaitForRoom() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool HasRoom() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Takes both if there is room, and nothing is left of the callback; else they are as they were.
  void TryEnqueue(v1::Message& message, Callback& callback) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Enqueue(v1::Message&& message, Callback callback) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Depart(v1::Message&& message, Callback refused);
  Status ReasonToRefuse();
  std::size_t Deliver(Batch& batch, const v1::SendStreamResponse& response);
  void Fail(Batches& batches, const Status& reason);
  bool IsToReturn(const Batch& batch, std::size_t index, const Status& reason) const;
  void FailOne(Batch& batch, std::size_t index, const Status& reason);
  void EnqueueLarge(v1::Message&& message, Batch& batch);
  Batch& BatchFor(std::size_t bytes, bool is_large) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::unique_ptr<Batch> NewBatch() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  const v1::SendStreamRequest* NextChunk() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Recycle(std::unique_ptr<Batch> batch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Constant after construction.
  const std::shared_ptr<Endpoints> endpoints_;
  const EndpointPtr endpoint_;
  const std::string entity_path_;
  const SenderOptions options_;

  // Used by one thread at a time: that of the answers or, when the stream has ended, who sends.
  ReturnedCallback on_returned_;

  Batches waiting_ ABSL_GUARDED_BY(mutex_);
  // Their receipts are due; the last one may still be written.
  Batches under_way_ ABSL_GUARDED_BY(mutex_);
  Batch* writing_batch_ ABSL_GUARDED_BY(mutex_) = nullptr;
  // Its receipt came while it was written.
  std::unique_ptr<Batch> answered_early_ ABSL_GUARDED_BY(mutex_);
  bool is_interrupted_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::unique_ptr<Batch>> spare_ ABSL_GUARDED_BY(mutex_);
  std::size_t outstanding_messages_ ABSL_GUARDED_BY(mutex_) = 0;
  std::size_t outstanding_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  std::uint64_t last_request_id_ ABSL_GUARDED_BY(mutex_) = 0;
  std::uint64_t receipt_count_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace wharf::client
