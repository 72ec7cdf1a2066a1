// Helpers that every call has in common: reading a request when there is room for it, parsing it
// from its bytes, writing an answer to bytes.
//
// Calls are registered with their raw bytes (raw_service.h), so that a request that is no protocol
// buffer is answered in the domain's words, and so that requests live on an arena.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <absl/strings/escaping.h>
#include <google/protobuf/arena.h>
#include <grpc/support/time.h>
#include <grpcpp/grpcpp.h>
#include <spdlog/spdlog.h>

#include "absl/base/thread_annotations.h"
#include "broker/core/messages/text.h"
#include "broker/doors/common/gates.h"
#include "broker/doors/grpc/errors.h"
#include "broker/doors/grpc/services/answer_length.h"
#include "broker/doors/grpc/services/asker.h"
#include "broker/doors/grpc/services/item_scan.h"
#include "broker/doors/grpc/services/raw_service.h"
#include "storage/base/log_fields.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"

namespace wharf {

// Of one request, in a call or on a stream: it is in memory as a whole, and so is what is made of
// it. gRPC itself refuses what is longer than kReceivedBytesMax, in words of its own; between the
// two it is refused in ours. Both know how long it is only when all of it was read.
inline constexpr std::size_t kRequestBytesMax = 16 * 1024 * 1024;
inline constexpr int kReceivedBytesMax = 32 * 1024 * 1024;

// MessageSizeExceeded or ArgumentError if there is no such request.
template <typename Request>
Status Parse(grpc::ByteBuffer& bytes, Request* request) {
  if (bytes.Length() > kRequestBytesMax) {
    return {ErrorCode::kMessageSizeExceeded,
            "the request has " + std::to_string(bytes.Length()) +
                " bytes, more than the 16 MiB that one may have; send fewer messages at a time, "
                "or a large one in chunks over SendStream"};
  }
  if (HasTooManyItems(bytes, *Request::descriptor())) {
    return {ErrorCode::kArgumentError,
            "the request holds more items than any may; send fewer at a time"};
  }
  if (grpc::SerializationTraits<Request>::Deserialize(&bytes, request).ok()) return {};
  return {ErrorCode::kArgumentError,
          "the request is not a valid " + request->GetTypeName() + ": it is cut short or damaged"};
}

template <typename Response>
grpc::ByteBuffer Serialize(const Response& response) {
  grpc::ByteBuffer bytes;
  bool own_buffer = false;
  static_cast<void>(grpc::SerializationTraits<Response>::Serialize(response, &bytes, &own_buffer));
  return bytes;
}

// How long the place of a call is safe while others wait: its client should have sent the largest
// request by then.
inline constexpr Duration kReadHold = std::chrono::seconds(3);

inline ReadGate::Connection ConnectionOf(const std::string& peer) {
  return std::hash<std::string>()(peer);
}

// One unary call: waits for places, for a long answer and for its request, reads it, lives until
// gRPC is done with it: its client has read the answer. Finish is called once, on any thread.
template <typename Request, typename Response>
class UnaryCall final : public UnaryReactor,
                        public ReadGate::Reader,
                        public std::enable_shared_from_this<UnaryCall<Request, Response>> {
 public:
  using Handle = void (*)(UnaryCall&);

  // Hands the parsed request to `handle`, or answers that it cannot be parsed, why there is no
  // broker or that there is no room to read it.
  static UnaryReactor* Start(const Gates& gates, grpc::CallbackServerContext* context,
                             grpc::ByteBuffer* response, Handle handle) {
    auto call = std::shared_ptr<UnaryCall>(new UnaryCall(gates, context, response, handle));
    call->self_ = call;
    if (!call->ticket_.is_valid()) {
      call->Fail(call->asker_.RefusalOf(call->ticket_));
    } else if (Status refused = call->asker_.Prove(call->ticket_, call->about()); !refused.ok()) {
      call->Fail(refused);
    } else {
      call->AwaitPlaces();
    }
    return call.get();
  }

  Request& request() { return *request_; }
  // Written by the handler before Succeed.
  Response& response() { return *response_; }
  // For errors; empty if the request names no entity.
  std::string entity_path;

  // What it was made of is not kept with a long answer.
  void Succeed() {
    *response_bytes_ = Serialize(*response_);
    if (response_bytes_->Length() > kShortAnswerBytes) {
      if (!has_asked_for_answer_.exchange(true)) {
        answers_.EnterAnyway(answer_place(), ConnectionOf(peer()), kAnswerHold);
      }
      unread_.Set(static_cast<std::int64_t>(response_bytes_->Length()));
      arena_.Reset();
    } else {
      LeaveAnswerPlace();
    }
    Finish(grpc::Status::OK);
  }
  // Whether an answer with so many bytes of messages has a place, or needs none; if not the call
  // fails. Once.
  bool HasPlaceFor(std::size_t bytes) {
    if (bytes <= kShortAnswerBytes || has_asked_for_answer_.exchange(true)) return true;
    return answers_.TryEnter(answer_place(), ConnectionOf(peer()), kAnswerHold);
  }
  void Fail(const Status& status) {
    LeaveAnswerPlace();
    if (spdlog::should_log(spdlog::level::debug)) LogRefusal(status);
    Finish(ToGrpc(status, about()));
  }

  const CallGate::Broker& broker() const { return ticket_.broker(); }
  const CallGate::Node& node() const { return ticket_.node(); }
  access::Guard* guard() const { return ticket_.guard(); }
  Requests& requests() const { return broker().requests; }
  // The caller, as the broker sees it.
  Caller caller() const {
    Caller caller = caller_itself();
    caller.patience = patience();
    return caller;
  }
  // The same for what must be done whether the client waits or not.
  Caller caller_itself() const {
    return {.peer = peer(),
            .door = asker_.door(),
            .tracking_id = asker_.tracking_id(),
            .trace_id = asker_.trace_id(),
            .permit = ticket_.permit()};
  }
  EntityRef entity() const { return {entity_path}; }
  // For errors.
  AboutRequest about() const { return {entity_path, asker_.tracking_id()}; }

  bool is_cancelled() const { return context_->IsCancelled(); }
  // Why a wait was cancelled that had nothing to tell: its caller may not ask any more. Ok: it may.
  Status lapse() {
    MutexLock lock(mutex_);
    return lapse_;
  }
  // For a call that waits: the wait is cancelled if the client gives up, the gate is closed or its
  // permit lapses; at once if that is so already. Once a call.
  void CancelWhenGone(std::shared_ptr<WaitHandle> wait) {
    std::function<void()> cancel = [wait = std::move(wait)] { wait->Cancel(); };
    ticket_.OnClose([weak = this->weak_from_this(), cancel](const Status& reason) {
      if (const auto call = weak.lock()) call->NoteLapse(reason);
      cancel();
    });
    {
      MutexLock lock(mutex_);
      if (!was_cancelled_) {
        cancel_ = std::move(cancel);
        return;
      }
    }
    cancel();
  }

 private:
  UnaryCall(const Gates& gates, grpc::CallbackServerContext* context, grpc::ByteBuffer* response,
            Handle handle)
      : reads_(gates.reads),
        answers_(gates.answers),
        ticket_(gates.calls.Enter([context] { context->TryCancel(); })),
        context_(context),
        asker_(gates.vouched, *context),
        handle_(handle),
        response_bytes_(response),
        unread_(gates.stream_bytes),
        request_(google::protobuf::Arena::CreateMessage<Request>(&arena_)),
        response_(google::protobuf::Arena::CreateMessage<Response>(&arena_)) {}

  const std::string& peer() const { return asker_.peer(); }

  // --- its places ---

  // The place of a long answer.
  class AnswerPlace final : public ReadGate::Reader {
   public:
    explicit AnswerPlace(UnaryCall& call) : call_(call) {}
    void OnPlace() override { call_.AwaitRequest(); }
    void OnRefused(const Status& reason) override {
      call_.EndUnread(reason.code() == ErrorCode::kServiceBusy ? TooMuchUnread() : reason);
    }
    void OnPlaceLost(const Status& reason) override {
      // Or the gate was closed, as that of requests is.
      if (reason.code() == ErrorCode::kServiceBusy) call_.CutOff();
    }

   private:
    UnaryCall& call_;
  };

  // Before its request is read: what waits holds nothing.
  void AwaitPlaces() {
    if constexpr (kAnswerLength<Request> == AnswerLength::kLong) {
      has_asked_for_answer_ = true;
      answers_.Enter(answer_place(), ConnectionOf(peer()), kHoldOfAnswer<Request>,
                     ReadGate::Patience::kBounded);
    } else {
      AwaitRequest();
    }
  }
  void AwaitRequest() {
    reads_.Enter(this->shared_from_this(), ConnectionOf(peer()), kReadHold,
                 ReadGate::Patience::kBounded);
  }
  std::shared_ptr<ReadGate::Reader> answer_place() {
    return {this->shared_from_this(), &answer_place_};
  }
  // Others want its place, and its client reads nothing. Under the lock, so that gRPC is not done
  // with it meanwhile; it calls nobody back inside a cancellation.
  void CutOff() {
    MutexLock lock(mutex_);
    if (!is_done_) context_->TryCancel();
  }
  // True if it waited for it.
  bool LeaveAnswerPlace() { return has_asked_for_answer_ && answers_.Leave(answer_place_); }

  // --- reading ---

  // Under the lock, because there must be no read behind the end; gRPC calls back on threads of its
  // own.
  void OnPlace() override {
    MutexLock lock(mutex_);
    if (!is_past_reading_) StartRead(&request_bytes_);
  }
  void OnRefused(const Status& reason) override { EndUnread(reason); }
  void OnPlaceLost(const Status& reason) override { EndUnread(reason); }

  // Nothing comes of what its client sent, unless it is there already.
  void EndUnread(const Status& reason) {
    if (EndReading()) Fail(reason);
  }
  // False if it came to an end before.
  bool EndReading() {
    MutexLock lock(mutex_);
    return !std::exchange(is_past_reading_, true);
  }

  // It keeps its place until the broker counts what it has taken.
  void OnReadDone(bool ok) override {
    if (!EndReading()) return;
    if (ok) {
      HandleRequest();
    } else {
      Fail(is_cancelled() ? Cancelled() : WithoutRequest());
    }
    reads_.Leave(*this);
  }

  static Status Cancelled() {
    return {ErrorCode::kServiceCommunicationProblem, "the call was cancelled"};
  }
  static Status WithoutRequest() {
    return {ErrorCode::kArgumentError, "the call has no request: its client ended it without one"};
  }

  void HandleRequest() {
    const Status bad = Parse(request_bytes_, request_);
    request_bytes_.Clear();
    if (!bad.ok()) return Fail(bad);
    if constexpr (kAnswerLength<Request> == AnswerLength::kShortAsARule) {
      if (MayBeLong(*request_) && !answers_.HasShareLeft(ConnectionOf(peer()))) {
        entity_path = request_->entity_path();
        return Fail(TooMuchUnread());
      }
    }
    handle_(*this);
  }

  // Absent: the client set no deadline, or one that nobody lives to see.
  std::optional<Duration> patience() const {
    const gpr_timespec deadline =
        gpr_convert_clock_type(context_->raw_deadline(), GPR_CLOCK_REALTIME);
    const gpr_timespec left = gpr_time_sub(deadline, gpr_now(GPR_CLOCK_REALTIME));
    constexpr std::int64_t kYearSeconds = std::int64_t{365} * 24 * 3600;
    if (left.tv_sec >= kYearSeconds) return std::nullopt;
    if (left.tv_sec < 0) return Duration(0);
    return std::chrono::seconds(left.tv_sec) +
           std::chrono::duration_cast<Duration>(std::chrono::nanoseconds(left.tv_nsec));
  }

  void NoteLapse(const Status& reason) {
    MutexLock lock(mutex_);
    if (reason.code() == ErrorCode::kUnauthorized) lapse_ = reason;
  }

  void LogRefusal(const Status& status) const {
    constexpr std::size_t kLoggedPathBytesMax = 400;
    const std::string tracking_id = ToString(asker_.tracking_id());
    const std::string entity = Shortened(entity_path, kLoggedPathBytesMax);
    const LogFields about_it(
        {{"entity", entity}, {"client", peer()}, {"tracking_id", tracking_id}});
    spdlog::debug("a {} from {} fails: {} (tracking id {})", request_->GetTypeName(), peer(),
                  absl::CHexEscape(status.ToString()), tracking_id);
  }

  void OnCancel() override {
    std::function<void()> cancel;
    {
      MutexLock lock(mutex_);
      was_cancelled_ = true;
      cancel = cancel_;
    }
    if (cancel) cancel();
    if (LeaveAnswerPlace() || reads_.Leave(*this)) EndUnread(Cancelled());
  }
  void OnDone() override {
    {
      MutexLock lock(mutex_);
      is_done_ = true;
    }
    reads_.Leave(*this);
    LeaveAnswerPlace();
    ticket_.GiveBack();
    // The last reference may be ours: it goes when this function returns.
    const std::shared_ptr<UnaryCall> self = std::move(self_);
  }

  ReadGate& reads_;
  ReadGate& answers_;
  CallGate::Ticket ticket_;
  grpc::CallbackServerContext* const context_;
  const Asker asker_;
  const Handle handle_;
  // Gone when it was parsed.
  grpc::ByteBuffer request_bytes_;
  grpc::ByteBuffer* const response_bytes_;
  // Of a long answer that was made.
  HeldBytes unread_;
  AnswerPlace answer_place_{*this};
  std::atomic<bool> has_asked_for_answer_ = false;
  // Gone with what is on it when a long answer was made of it.
  google::protobuf::Arena arena_;
  Request* const request_;
  Response* const response_;
  // Until gRPC is done with it.
  std::shared_ptr<UnaryCall> self_;
  Mutex mutex_;
  // The request came, or will not be read any more.
  bool is_past_reading_ ABSL_GUARDED_BY(mutex_) = false;
  std::function<void()> cancel_ ABSL_GUARDED_BY(mutex_);
  Status lapse_ ABSL_GUARDED_BY(mutex_);
  bool was_cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_done_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace wharf
