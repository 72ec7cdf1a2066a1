#include "broker/doors/grpc/streams/receive_outbox.h"

#include <utility>

#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/services/call.h"

namespace wharf {
namespace {

// In one response.
constexpr std::size_t kMessagesMax = 256;
constexpr std::int64_t kOutboxBytesMax = 1024 * 1024;

grpc::ByteBuffer SerializeDeliveries(const std::vector<Delivered>& batch) {
  google::protobuf::Arena arena;
  auto* response = google::protobuf::Arena::CreateMessage<v1::ReceiveStreamResponse>(&arena);
  for (const Delivered& delivered : batch) {
    ToProto(delivered, response->mutable_deliveries()->add_messages());
  }
  return Serialize(*response);
}

}  // namespace

grpc::ByteBuffer ReceiveOutbox::Response::ToBytes() const {
  if (const auto* batch = std::get_if<std::vector<Delivered>>(&content)) {
    return SerializeDeliveries(*batch);
  }
  if (const auto* piece = std::get_if<v1::ReceiveStreamResponse>(&content)) {
    return Serialize(*piece);
  }
  return std::get<grpc::ByteBuffer>(content);
}

void ReceiveOutbox::Push(Delivered delivered) {
  if (delivered.message->has_body()) bytes_ += delivered.message->facts.size;
  items_.emplace_back(std::move(delivered));
}

std::int64_t ReceiveOutbox::bytes() const {
  return bytes_ + (large_ ? static_cast<std::int64_t>(large_->waiting_bytes()) : 0);
}

void ReceiveOutbox::PushAnswer(const grpc::ByteBuffer& answer) {
  answer_bytes_ += answer.Length();
  items_.emplace_back(answer);
  ++answers_;
}

void ReceiveOutbox::PushReply(const grpc::ByteBuffer& reply) {
  if (!large_) return PushAnswer(reply);
  answer_bytes_ += reply.Length();
  replies_.push_back(reply);
}

bool ReceiveOutbox::is_ready() const {
  if (!replies_.empty()) return true;
  return large_ ? large_->is_ready() : !items_.empty();
}

ReceiveOutbox::Response ReceiveOutbox::Take() {
  if (!replies_.empty()) {
    Response response = TakeAnswer(replies_.front());
    replies_.pop_front();
    return response;
  }
  if (!large_) BeginLarge();
  if (large_) return TakePiece();
  if (const auto* answer = std::get_if<grpc::ByteBuffer>(&items_.front())) {
    Response response = TakeAnswer(*answer);
    items_.pop_front();
    --answers_;
    return response;
  }
  return TakeBatch();
}

ReceiveOutbox::Response ReceiveOutbox::TakeAnswer(const grpc::ByteBuffer& answer) {
  answer_bytes_ -= answer.Length();
  return {answer, {}};
}

// A delivery without its body is sent in pieces.
void ReceiveOutbox::BeginLarge() {
  auto* delivered = std::get_if<Delivered>(&items_.front());
  if (delivered == nullptr || delivered->message->has_body()) return;
  large_ = std::make_shared<LargeDelivery>(std::move(*delivered));
  items_.pop_front();
}

// With the last piece the message is delivered.
ReceiveOutbox::Response ReceiveOutbox::TakePiece() {
  const std::uint64_t before = large_->waiting_bytes();
  Response response{large_->TakeResponse(), {}};
  response.written.held_bytes = static_cast<std::int64_t>(before - large_->waiting_bytes());
  if (!large_->is_done()) return response;
  const Delivered& delivered = large_->delivered();
  response.written.messages = 1;
  response.written.bytes = delivered.message->facts.size;
  if (delivered.token.is_zero()) {
    response.written.consumed_body = large_->body();
  } else {
    response.written.tokens.push_back(delivered.token);
  }
  large_.reset();
  return response;
}

ReceiveOutbox::Response ReceiveOutbox::TakeBatch() {
  std::vector<Delivered> batch;
  WrittenDeliveries written;
  while (!items_.empty() && batch.size() < kMessagesMax) {
    auto* delivered = std::get_if<Delivered>(&items_.front());
    if (delivered == nullptr || !delivered->message->has_body()) break;
    const std::int64_t size = delivered->message->facts.size;
    if (!batch.empty() && written.bytes + size > kOutboxBytesMax) break;
    written.bytes += size;
    if (!delivered->token.is_zero()) written.tokens.push_back(delivered->token);
    batch.push_back(std::move(*delivered));
    items_.pop_front();
  }
  written.held_bytes = written.bytes;
  bytes_ -= written.bytes;
  written.messages = batch.size();
  return {std::move(batch), std::move(written)};
}

std::optional<ReceiveOutbox::ChunkRead> ReceiveOutbox::NextRead() {
  if (!large_) return std::nullopt;
  const std::optional<std::uint32_t> chunk = large_->NextRead();
  if (!chunk) return std::nullopt;
  return ChunkRead{large_, *chunk};
}

std::vector<Delivered> ReceiveOutbox::DropDeliveries() {
  std::vector<Delivered> dropped;
  if (large_) dropped.push_back(std::exchange(large_, nullptr)->delivered());
  std::deque<Item> kept;
  for (Item& item : items_) {
    if (auto* delivered = std::get_if<Delivered>(&item)) {
      dropped.push_back(std::move(*delivered));
    } else {
      kept.push_back(std::move(item));
    }
  }
  items_ = std::move(kept);
  bytes_ = 0;
  return dropped;
}

void ReceiveOutbox::DropAnswers() {
  replies_.clear();
  std::erase_if(items_,
                [](const Item& item) { return std::holds_alternative<grpc::ByteBuffer>(item); });
  answers_ = 0;
  answer_bytes_ = 0;
}

}  // namespace wharf
