#include "tools/client/sender.h"

#include <utility>

namespace wharf::client {
namespace {

// Limits of the API: a larger body travels as a header and chunks.
constexpr std::size_t kRequestBodyBytesMax = 1 << 20;
constexpr std::size_t kChunkBytes = 256 << 10;

constexpr std::size_t kSpareBatchesMax = 32;
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

// Whether the broker, the way to it, or what lets us in is gone, and not the message at fault.
bool IsReturned(const Status& reason) {
  const bool is_gone = reason.code() == ErrorCode::kServiceCommunicationProblem ||
                       reason.code() == ErrorCode::kPartitionNotOwned ||
                       reason.code() == ErrorCode::kUnauthorized;
  return is_gone && reason.outcome() == Outcome::kNotDone;
}

}  // namespace

Sender::Sender(std::shared_ptr<Endpoints> endpoints, std::string entity_path, SenderOptions options,
               ReturnedCallback on_returned)
    : endpoints_(std::move(endpoints)),
      endpoint_(endpoints_->current()),
      entity_path_(std::move(entity_path)),
      options_(options),
      on_returned_(std::move(on_returned)) {
  endpoint_->stub<v1::Messaging::Stub>().async()->SendStream(&context(), this);
  Begin();
}

Sender::~Sender() {
  bool idle = false;
  {
    MutexLock lock(mutex_);
    idle = outstanding_messages_ == 0;
  }
  End(idle ? kEndPatience : std::chrono::seconds(0));
}

void Sender::Send(v1::Message&& message, Callback callback) {
  {
    MutexLock lock(mutex_);
    WaitForRoom();
    TryEnqueue(message, callback);
  }
  Depart(std::move(message), std::move(callback));
}

// At the end those before it are told first.
void Sender::WaitForRoom() {
  while (ended_ ? reacting_ : !HasRoom() && !is_interrupted_) changed_.wait(mutex_);
}

bool Sender::TrySend(v1::Message&& message, Callback& callback) {
  {
    MutexLock lock(mutex_);
    if (!ended_ && !HasRoom()) return false;
    TryEnqueue(message, callback);
  }
  Depart(std::move(message), std::move(callback));
  return true;
}

// Writes what was enqueued. What was not, because the stream has ended or nobody wants to wait,
// goes back.
void Sender::Depart(v1::Message&& message, Callback refused) {
  if (!refused) return Pump();
  const Status reason = ReasonToRefuse();
  if (on_returned_ && IsReturned(reason)) {
    return on_returned_(std::move(message), std::move(refused), reason);
  }
  std::move(refused)(reason);
}

Status Sender::ReasonToRefuse() {
  MutexLock lock(mutex_);
  if (ended_) return {end_.code(), end_.message(), Outcome::kNotDone};
  return {ErrorCode::kServiceTimeout, "the send was interrupted"};
}

Status Sender::Flush() {
  MutexLock lock(mutex_);
  while (outstanding_messages_ > 0 || reacting_) changed_.wait(mutex_);
  return end_;
}

void Sender::Interrupt() {
  MutexLock lock(mutex_);
  is_interrupted_ = true;
  changed_.notify_all();
}

std::uint64_t Sender::request_count() {
  MutexLock lock(mutex_);
  return last_request_id_;
}

std::uint64_t Sender::receipt_count() {
  MutexLock lock(mutex_);
  return receipt_count_;
}

bool Sender::HasRoom() const {
  return outstanding_messages_ == 0 || (outstanding_messages_ < options_.window_messages &&
                                        outstanding_bytes_ < options_.window_bytes);
}

void Sender::TryEnqueue(v1::Message& message, Callback& callback) {
  if (!ended_ && HasRoom()) Enqueue(std::move(message), std::exchange(callback, nullptr));
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
  batch.large_header = std::move(message);
  v1::LargeMessageHeader& header = *batch.request.mutable_header();
  header.set_entity_path(entity_path_);
  header.set_body_size(static_cast<std::int64_t>(batch.large_body.size()));
  *header.mutable_message() = batch.large_header;
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
  under_way_.push_back(std::move(waiting_.front()));
  waiting_.pop_front();
  writing_batch_ = under_way_.back().get();
  writing_batch_->request.set_request_id(++last_request_id_);
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
  writing_batch_ = nullptr;
  if (answered_early_ != nullptr) Recycle(std::move(answered_early_));
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
  std::unique_ptr<Batch> batch;
  {
    MutexLock lock(mutex_);
    if (under_way_.empty() || under_way_.front()->request.request_id() != response.request_id()) {
      return Cancel();  // Not the receipt that is due: nothing of this stream can be believed any
                        // more.
    }
    batch = std::move(under_way_.front());
    under_way_.pop_front();
    outstanding_messages_ -= batch->callbacks.size();
    outstanding_bytes_ -= batch->bytes;
  }
  const std::size_t stored = Deliver(*batch, response);
  MutexLock lock(mutex_);
  receipt_count_ += stored;
  if (writing_batch_ == batch.get()) {
    answered_early_ = std::move(batch);
  } else {
    Recycle(std::move(batch));
  }
}

// How many were stored.
std::size_t Sender::Deliver(Batch& batch, const v1::SendStreamResponse& response) {
  std::size_t stored = 0;
  for (std::size_t i = 0; i < batch.callbacks.size(); ++i) {
    const bool is_there = i < static_cast<std::size_t>(response.results_size());
    Result<SendReceipt> receipt =
        ToReceipt(is_there ? response.results(static_cast<int>(i)) : v1::SendResult());
    if (receipt.ok()) {
      ++stored;
      std::move(batch.callbacks[i])(std::move(receipt));
    } else {
      FailOne(batch, i, receipt.status());
    }
  }
  return stored;
}

void Sender::OnEnded(const Status& status) {
  if (!was_ended_here()) endpoints_->NoteEnd(*endpoint_, status);
  Batches under_way;
  Batches waiting;
  {
    MutexLock lock(mutex_);
    under_way.swap(under_way_);
    waiting.swap(waiting_);
    writing_batch_ = nullptr;
    outstanding_messages_ = 0;
    outstanding_bytes_ = 0;
  }
  // A broker that stops in order has answered all that it did.
  const bool is_known = IsReturned(status);
  Fail(under_way,
       {status.code(), status.message(), is_known ? Outcome::kNotDone : Outcome::kUnknown});
  Fail(waiting, {status.code(), status.message(), Outcome::kNotDone});
}

void Sender::Fail(Batches& batches, const Status& reason) {
  for (const std::unique_ptr<Batch>& batch : batches) {
    for (std::size_t i = 0; i < batch->callbacks.size(); ++i) FailOne(*batch, i, reason);
  }
}

bool Sender::IsToReturn(const Batch& batch, std::size_t index, const Status& reason) const {
  if (!on_returned_) return false;
  if (IsReturned(reason)) return true;
  if (!options_.returns_unknown || reason.outcome() != Outcome::kUnknown) return false;
  const v1::Message& message = batch.large_body.empty()
                                   ? batch.request.send().messages(static_cast<int>(index))
                                   : batch.large_header;
  return !message.message_id().empty();
}

// To whoever wants the message back, or else to its callback.
void Sender::FailOne(Batch& batch, std::size_t index, const Status& reason) {
  if (!IsToReturn(batch, index, reason)) return std::move(batch.callbacks[index])(reason);
  v1::Message message;
  if (batch.large_body.empty()) {
    message = std::move(*batch.request.mutable_send()->mutable_messages(static_cast<int>(index)));
  } else {
    message = batch.large_header;  // Copied: its chunks may still be on their way.
    message.set_body(batch.large_body);
  }
  on_returned_(std::move(message), std::move(batch.callbacks[index]), reason);
}

}  // namespace wharf::client
