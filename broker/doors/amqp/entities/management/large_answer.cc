#include "broker/doors/amqp/entities/management/large_answer.h"

#include <utility>

#include "broker/doors/amqp/entities/amqp_message.h"

namespace wharf::amqp {
namespace {

// What an answer counts for while it waits for a chunk, or for its completion.
constexpr std::size_t kChunkBytes = std::size_t{256} << 10;

Status Damaged() {
  return {ErrorCode::kGeneralError, "a chunk of a body has not the bytes that it should"};
}

}  // namespace

// What is deleted tells of no lock.
LargeReplyMessage LargeAnswer::Begin(const Operation& operation, const wharf::Delivered& delivered,
                                     std::int32_t state, bool is_consumed) {
  wharf::Delivered told = delivered;
  if (is_consumed) {
    told.token = LockToken();
    told.until = kNever;
  }
  EncodedMessage around = EncodedAround(told, state, operation.is_partitioned());
  LargeReplyMessage large;
  if (!is_consumed) large.lock_token = UuidOf(delivered.token);
  large.bytes = around.head.size() + delivered.message->facts.body_ref->size + around.tail.size();
  large.head = std::move(around.head);
  const auto self =
      std::make_shared<LargeAnswer>(operation, delivered, std::move(around.tail), is_consumed);
  large.read = [self](ReplyLinks::Tell tell) { self->Read(std::move(tell)); };
  return large;
}

LargeAnswer::LargeAnswer(const Operation& operation, const wharf::Delivered& delivered,
                         std::string tail, bool is_consumed)
    : world_(operation.world()),
      caller_(operation.caller()),
      lane_(world_.requests.Find(world_.path).lane.value_or(LaneId())),
      body_(*delivered.message->facts.body_ref),
      token_(delivered.token),
      tail_(std::move(tail)),
      is_consumed_(is_consumed),
      body_left_(body_.size) {}

// The rest of what was delivered while its client was allowed to receive it, however long it takes.
void LargeAnswer::Read(ReplyLinks::Tell tell) {
  Caller caller = DoorItself(caller_);
  caller.patience.reset();
  AskFor(world_, caller, ReadBodyChunkRequest{body_, next_chunk_++, lane_, token_}, kChunkBytes,
         [self = shared_from_this(), tell = std::move(tell)](Result<std::string>& chunk) {
           self->OnChunk(std::move(chunk), tell);
         });
}

void LargeAnswer::OnChunk(Result<std::string> chunk, const ReplyLinks::Tell& tell) {
  if (!chunk.ok()) return tell(chunk.status());
  if (chunk->empty() || chunk->size() > body_left_) return tell(Damaged());
  body_left_ -= chunk->size();
  if (body_left_ > 0) return tell(ReplyLinks::Piece{.bytes = *std::move(chunk)});
  std::string last = *std::move(chunk) + tail_;
  if (is_consumed_) return Complete(std::move(last), tell);
  tell(ReplyLinks::Piece{.bytes = std::move(last), .is_last = true});
}

void LargeAnswer::Complete(std::string last, ReplyLinks::Tell tell) {
  AskFor(world_, DoorItself(caller_),
         SettleRequest{{world_.path, lane_}, {token_}, {.verb = SettleVerb::kComplete}},
         kChunkBytes,
         [last = std::move(last), tell = std::move(tell)](const Result<SettleReceipt>& receipt) {
           const Status failed = receipt.ok() ? receipt->front() : receipt.status();
           if (!failed.ok()) return tell(failed);
           tell(ReplyLinks::Piece{.bytes = last, .is_last = true});
         });
}

}  // namespace wharf::amqp
