#include "tools/client/sender.h"

#include <utility>

namespace wharf::client {
namespace {

// Limits of the API: a larger body travels as a header and chunks.
constexpr std::size_t kRequestBodyBytesMax = 1 << 20;
constexpr std::size_t kChunkBytes = 256 << 10;

constexpr std::size_t kSpareBatchesMax = 4;
constexpr std::chrono::seconds kEndPatience(2);

Result<SendReceipt> ToReceipt(const v1::SendResult& result) {
  switch (result.outcome_case()) {
    case v1::SendResult::kSequenceNumber:
      return SendReceipt{.sequence_number = result.sequence_number()};
    case v1::SendResult::kDuplicateOf:
      return SendReceipt{.sequence_number = result.duplicate_of(), .is_duplicate = true};
    case v1::SendResult::kError:
      return ToStatus(result.error());
    case v1::SendResult::OUTCOME_NOT_SET:
      break;
  }
  return Status(ErrorCode::kGeneralError, "the broker's receipt says nothing about this message",
                Outcome::kUnknown);
}

}  // namespace

Sender::Sender(std::shared_ptr<v1::Messaging::Stub> stub, std::string entity_path,
               SenderOptions options)
    : stub_(std::move(stub)), entity_path_(std::move(entity_path)), options_(options) {
  stub_->async()->SendStream(&context(), this);
  Begin();
}

Sender::~Sender() {
  std::unique_lock lock(mutex_);
  const bool idle = outstanding_messages_ == 0;
  lock.unlock();
  End(idle ? kEndPatience : std::chrono::seconds(0));
}

void Sender::Send(v1::Message&& message, Callback callback) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_ || HasRoom(); });
    if (!ended_) Enqueue(std::move(message), std::exchange(callback, nullptr));
  }
  Depart(std::move(callback));
}

bool Sender::TrySend(v1::Message&& message, Callback& callback) {
  {
    const std::lock_guard lock(mutex_);
    if (!ended_ && !HasRoom()) return false;
    if (!ended_) Enqueue(std::move(message), std::exchange(callback, nullptr));
  }
  Depart(std::move(callback));
  return true;
}

// Writes what was enqueued; a callback that was not, because the stream has ended, hears so.
void Sender::Depart(Callback refused) {
  if (!refused) return Pump();
  std::unique_lock lock(mutex_);
  const Status reason(end_.code(), end_.message(), Outcome::kNotDone);
  lock.unlock();
  std::move(refused)(reason);
}

Status Sender::Flush() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return outstanding_messages_ == 0 && !reacting_; });
  return end_;
}

std::uint64_t Sender::request_count() {
  const std::lock_guard lock(mutex_);
  return last_request_id_;
}

bool Sender::HasRoom() const {
  return outstanding_messages_ == 0 || (outstanding_messages_ < options_.window_messages &&
                                        outstanding_bytes_ < options_.window_bytes);
}

void Sender::Enqueue(v1::Message&& message, Callback callback) {
  const std::size_t bytes = message.ByteSizeLong();
  const bool is_large = message.body().size() > kRequestBodyBytesMax;
  Batch& batch = BatchFor(bytes, is_large);
  if (is_large) {
    EnqueueLarge(std::move(message), batch);
  } else {
    *batch.request.mutable_send()->add_messages() = std::move(message);
  }
  batch.callbacks.push_back(std::move(callback));
  batch.bytes += bytes;
  outstanding_messages_++;
  outstanding_bytes_ += bytes;
}

void Sender::EnqueueLarge(v1::Message&& message, Batch& batch) {
  batch.large_body = std::move(*message.mutable_body());
  message.clear_body();
  v1::LargeMessageHeader& header = *batch.request.mutable_header();
  header.set_entity_path(entity_path_);
  header.set_body_size(static_cast<std::int64_t>(batch.large_body.size()));
  *header.mutable_message() = std::move(message);
}

// The batch that is being filled, or a new one if the message does not fit or must travel alone.
Sender::Batch& Sender::BatchFor(std::size_t bytes, bool is_large) {
  const bool fits = !waiting_.empty() && !is_large && waiting_.back()->large_body.empty() &&
                    waiting_.back()->callbacks.size() < options_.request_messages_max &&
                    waiting_.back()->bytes + bytes <= options_.request_bytes_max;
  if (!fits) waiting_.push_back(NewBatch());
  return *waiting_.back();
}

std::unique_ptr<Sender::Batch> Sender::NewBatch() {
  std::unique_ptr<Batch> batch;
  if (spare_.empty()) {
    batch = std::make_unique<Batch>();
  } else {
    batch = std::move(spare_.back());
    spare_.pop_back();
  }
  batch->request.mutable_send()->set_entity_path(entity_path_);
  batch->callbacks.reserve(options_.request_messages_max);
  return batch;
}

const v1::SendStreamRequest* Sender::NextRequest() {
  if (writing_batch_ != nullptr) return NextChunk();
  if (waiting_.empty()) return nullptr;
  writing_batch_ = std::move(waiting_.front());
  waiting_.pop_front();
  writing_batch_->request.set_request_id(++last_request_id_);
  under_way_.push_back({.request_id = last_request_id_,
                        .callbacks = std::move(writing_batch_->callbacks),
                        .bytes = writing_batch_->bytes});
  return &writing_batch_->request;
}

const v1::SendStreamRequest* Sender::NextChunk() {
  Batch& batch = *writing_batch_;
  batch.request.mutable_chunk()->set_data(
      batch.large_body.substr(batch.large_body_offset, kChunkBytes));
  batch.large_body_offset += kChunkBytes;
  return &batch.request;
}

void Sender::OnWritten() {
  if (writing_batch_ == nullptr) return;
  if (writing_batch_->large_body_offset < writing_batch_->large_body.size()) return;
  Recycle(std::move(writing_batch_));
}

// Keeps the storage of messages for those to come.
void Sender::Recycle(std::unique_ptr<Batch> batch) {
  if (spare_.size() == kSpareBatchesMax || !batch->large_body.empty()) return;
  batch->request.mutable_send()->mutable_messages()->Clear();
  batch->callbacks.clear();
  batch->bytes = 0;
  spare_.push_back(std::move(batch));
}

void Sender::OnResponse(v1::SendStreamResponse& response) {
  Promise promise;
  {
    const std::lock_guard lock(mutex_);
    if (under_way_.empty() || under_way_.front().request_id != response.request_id()) {
      return Cancel();  // Not the receipt that is due: nothing of this stream can be believed any
                        // more.
    }
    promise = std::move(under_way_.front());
    under_way_.pop_front();
    outstanding_messages_ -= promise.callbacks.size();
    outstanding_bytes_ -= promise.bytes;
  }
  for (std::size_t i = 0; i < promise.callbacks.size(); ++i) {
    const bool is_there = i < static_cast<std::size_t>(response.results_size());
    std::move(promise.callbacks[i])(
        ToReceipt(is_there ? response.results(static_cast<int>(i)) : v1::SendResult()));
  }
}

void Sender::OnEnded(const Status& status) {
  std::deque<Promise> under_way;
  std::deque<std::unique_ptr<Batch>> waiting;
  {
    const std::lock_guard lock(mutex_);
    under_way.swap(under_way_);
    waiting.swap(waiting_);
    outstanding_messages_ = 0;
    outstanding_bytes_ = 0;
  }
  const Status unknown(status.code(), status.message(), Outcome::kUnknown);
  for (Promise& promise : under_way) {
    for (Callback& callback : promise.callbacks) std::move(callback)(unknown);
  }
  const Status not_done(status.code(), status.message(), Outcome::kNotDone);
  for (const std::unique_ptr<Batch>& batch : waiting) {
    for (Callback& callback : batch->callbacks) std::move(callback)(not_done);
  }
}

}  // namespace wharf::client
