#include "broker/doors/http/rest/head_receiver.h"

#include <algorithm>
#include <utility>

#include "broker/doors/common/unheard.h"
#include "broker/doors/http/rest/large_source.h"
#include "broker/doors/http/rest/outgoing.h"
#include "broker/doors/http/rest/unheard_delivery.h"
#include "broker/doors/http/servicebus/fail.h"

namespace wharf::rest {
namespace {

// The first message comes whatever it has.
constexpr std::uint64_t kReceivedBytesMax = 1 << 20;
// So often others may be faster; or as many messages are locked as may be, and nobody gets it.
constexpr int kRoundsMax = 8;

Status TooMuchUnread() {
  return {ErrorCode::kServiceBusy,
          "what others were answered and have not read takes all the room"};
}

}  // namespace

void HeadReceiver::Begin(ServiceBusCallPtr call, Wish wish) {
  if (!wish.has_room()) return Fail(*call, TooMuchUnread(), ErrorPlane::kMessages);
  const auto receiver = std::make_shared<HeadReceiver>(call, std::move(wish));
  receiver->Wait();
  call->EndWaitWith([weak = std::weak_ptr<HeadReceiver>(receiver)] {
    if (const auto self = weak.lock()) self->EndWait();
  });
}

HeadReceiver::HeadReceiver(ServiceBusCallPtr call, Wish wish)
    : call_(std::move(call)),
      wish_(std::move(wish)),
      until_(std::chrono::steady_clock::now() + wish_.wait) {}

Duration HeadReceiver::time_left() const {
  const auto left = std::chrono::duration_cast<Duration>(until_ - std::chrono::steady_clock::now());
  return std::max(left, Duration(0));
}

void HeadReceiver::Wait() {
  int number = 0;
  bool is_ended = false;
  {
    MutexLock lock(mutex_);
    number = ++waits_;
    is_ended = is_ended_;
  }
  auto wait =
      call_->requests().Wait(call_->request().caller,
                             ReceiveRequest{.entity = {wish_.path},
                                            .mode = wish_.mode,
                                            .messages_max = 1,
                                            .bytes_max = kReceivedBytesMax,
                                            .wait = is_ended ? Duration(0) : time_left()},
                             [self = shared_from_this()](Result<std::vector<Delivered>> received) {
                               self->OnWaited(std::move(received));
                             });
  {
    MutexLock lock(mutex_);
    if (number != waits_) return;  // It is over.
    if (!is_ended_ && !is_answered_) {
      waiting_ = std::move(wait);
      return;
    }
  }
  wait->Cancel();
}

void HeadReceiver::EndWait() {
  std::shared_ptr<WaitHandle> waiting;
  {
    MutexLock lock(mutex_);
    is_ended_ = true;
    waiting = waiting_;
  }
  if (waiting != nullptr) waiting->Cancel();
}

void HeadReceiver::OnWaited(Result<std::vector<Delivered>> received) {
  if (received.status().code() == ErrorCode::kMessageSizeExceeded) return Attach();
  if (!received.ok()) return FailWith(received.status());
  if (received->empty()) return AnswerNothing();
  AnswerWith(std::move(received->front()), nullptr);
}

// One message, and only if it is there now: whoever has waited longer comes first.
void HeadReceiver::Attach() {
  auto receiver = call_->requests().Attach(
      call_->request().caller, AttachRequest{.entity = {wish_.path}, .mode = wish_.mode},
      shared_from_this(), [self = shared_from_this()](const Result<Attached>& attached) {
        self->OnAttached(attached);
      });
  {
    MutexLock lock(mutex_);
    receiver_ = receiver;
  }
  receiver->Grant({.messages = 1, .bytes = std::nullopt});
  receiver->Drain();
}

void HeadReceiver::OnAttached(const Result<Attached>& attached) {
  if (!attached.ok()) return FailWith(attached.status());
  MutexLock lock(mutex_);
  lane_ = attached->lane;
}

void HeadReceiver::OnDeliveries(std::vector<Delivered> deliveries) {
  AnswerWith(std::move(deliveries.front()), TakeReceiver());
}

// With nothing before it: somebody else has taken the large one.
void HeadReceiver::OnDrained(Credit left) {
  if (left.messages == 0) return;
  if (const auto receiver = TakeReceiver()) receiver->Detach();
  const int rounds = [this] {
    MutexLock lock(mutex_);
    return ++rounds_;
  }();
  if (time_left() == Duration(0)) return AnswerNothing();
  if (rounds < kRoundsMax) return Wait();
  FailWith({ErrorCode::kServiceBusy,
            "the next message is a large one that others have, or that may not be locked now"});
}

void HeadReceiver::OnDetached(Status reason) {
  if (TakeReceiver() == nullptr) return;
  if (reason.ok()) return AnswerNothing();
  FailWith(reason);
}

std::shared_ptr<ReceiverHandle> HeadReceiver::TakeReceiver() {
  MutexLock lock(mutex_);
  return std::exchange(receiver_, nullptr);
}

bool HeadReceiver::BeginAnswer() {
  MutexLock lock(mutex_);
  waiting_ = nullptr;
  return !std::exchange(is_answered_, true);
}

void HeadReceiver::AnswerWith(Delivered delivered, std::shared_ptr<ReceiverHandle> receiver) {
  auto unheard = std::make_shared<UnheardDelivery>(call_, wish_.path, std::move(delivered),
                                                   std::move(receiver));
  if (wish_.mode == ReceiveMode::kPeekLock && !wish_.has_room()) return FailWith(TooMuchUnread());
  if (!BeginAnswer()) return;
  const LaneId lane = [this] {
    MutexLock lock(mutex_);
    return lane_;
  }();
  HttpResponse response = ResponseOf(unheard->delivered(), call_->request(), wish_.path);
  if (unheard->delivered().message->facts.has_large_body()) {
    response.source_bytes = unheard->delivered().message->facts.body_ref->size;
    response.source = SourceOf(call_, unheard, lane);
  }
  response.written = [unheard] { unheard->NoteHeard(); };
  call_->Answer(std::move(response));
}

void HeadReceiver::AnswerNothing() {
  if (!BeginAnswer()) return;
  const Status lapse = call_->end_reason();
  if (!lapse.ok()) return Fail(*call_, lapse, ErrorPlane::kMessages);
  call_->Answer(EmptyAnswer(204));
}

void HeadReceiver::FailWith(const Status& status) {
  if (BeginAnswer()) Fail(*call_, status, ErrorPlane::kMessages);
}

}  // namespace wharf::rest
