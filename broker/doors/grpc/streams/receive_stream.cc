#include "broker/doors/grpc/streams/receive_stream.h"

#include <memory>
#include <optional>
#include <utility>

#include <wharf/v1/messaging.pb.h>

#include "absl/base/thread_annotations.h"
#include "broker/doors/common/unheard.h"
#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/convert/convert_session.h"
#include "broker/doors/grpc/services/call.h"
#include "broker/doors/grpc/streams/receive_outbox.h"
#include "broker/doors/grpc/streams/unread_answers.h"
#include "broker/requests/check.h"
#include "storage/base/mutex.h"

namespace wharf {
namespace {

// Settlements and renewals of one stream that may wait for their answers to be written.
constexpr std::size_t kUnansweredSettlementsMax = 256;
constexpr std::uint64_t kCreditBytesMax = std::uint64_t{1} << 30;

// Callbacks of gRPC come on its threads, deliveries and answers on the publisher's. What is to be
// done next is decided under mutex_ and done without it, because gRPC may call back at once. Kept
// alive by gRPC until OnDone, and by the broker's receiver until it let go.
class ReceiveStream final : public StreamReactor,
                            public DeliverySink,
                            public std::enable_shared_from_this<ReceiveStream> {
 public:
  ReceiveStream(const Gates& gates, grpc::CallbackServerContext& context)
      : ticket_(gates.calls.Enter([&context] { context.TryCancel(); })),
        asker_(gates.vouched, context),
        held_(gates.stream_bytes) {}

  void Begin() {
    self_ = shared_from_this();
    // Ended as any other: its client may cancel it in this moment.
    if (!ticket_.is_valid()) return End(EndFor(asker_.RefusalOf(ticket_)));
    const AboutRequest about{.tracking_id = asker_.tracking_id()};
    if (Status refused = asker_.Prove(ticket_, about); !refused.ok()) {
      return End(ToGrpc(refused, about));
    }
    StartRead(&read_);
    ticket_.OnClose([weak = weak_from_this()](const Status& reason) {
      if (const auto stream = weak.lock()) stream->OnClose(reason);
    });
  }

  // --- gRPC ---

  void OnReadDone(bool ok) override {
    if (!ok) return End(grpc::Status::OK);
    if (!BeginHandling()) return;
    if (Status refused = Handle(); !refused.ok()) End(EndFor(refused));
    EndHandling();
  }

  void OnWriteDone(bool ok) override {
    WrittenDeliveries written;
    std::shared_ptr<ReceiverHandle> receiver;
    Step step;
    {
      MutexLock lock(mutex_);
      is_writing_ = false;
      written = std::exchange(written_, {});
      if (!ok) {
        is_broken_ = true;
        for (const LockToken& token : written.tokens) unheard_.emplace_back(token);
      }
      receiver = receiver_;
      step = NextStep();
    }
    Do(std::move(step));
    if (written.consumed_body) receiver->DropBody(*written.consumed_body);
    if (written.messages > 0) receiver->NoteWritten(written.messages, written.bytes);
  }

  void OnCancel() override { End(grpc::Status::CANCELLED); }

  void OnDone() override {
    ticket_.GiveBack();
    // The last reference may be ours: it goes when this function returns.
    const std::shared_ptr<ReceiveStream> self = std::move(self_);
  }

  // --- the broker ---

  void OnDeliveries(std::vector<Delivered> deliveries) override {
    Step step;
    {
      MutexLock lock(mutex_);
      for (Delivered& delivered : deliveries) outbox_.Push(std::move(delivered));
      step = NextStep();
    }
    Do(std::move(step));
  }

  void OnDrained(Credit left) override {
    v1::ReceiveStreamResponse response;
    ToProto(left, response.mutable_drained());
    Enqueue(response);
  }

  void OnStopped() override {
    if (const auto reason = closed_for()) return End(EndFor(*reason));
    v1::ReceiveStreamResponse response;
    response.mutable_stopped();
    Enqueue(response);
  }

  // If the stream has ended meanwhile, nobody hears of it: it is detached, and with that the
  // session is released.
  void OnSessionAccepted(const AcceptedSession& session) override {
    v1::ReceiveStreamResponse response;
    ToProto(session, response.mutable_session_accepted());
    Enqueue(response);
  }

  void OnSessionEnded(const EndedSession& session) override {
    v1::ReceiveStreamResponse response;
    ToProto(session, NewSubject(), response.mutable_session_ended());
    Enqueue(response);
  }

  void OnDetached(Status reason) override { End(EndFor(reason)); }

 private:
  struct Step {
    // Locks that nobody will hear of.
    TokenList unheard;
    bool reads = false;
    std::optional<ReceiveOutbox::ChunkRead> chunk;
    std::optional<ReceiveOutbox::Response> response;
    std::optional<grpc::Status> finish_with;
  };

  // --- the end of the broker ---

  // Takes no more requests. What was taken is answered, and then the end of the stream says that
  // all the rest was not done. Messages that were not written go back to their queue; only where
  // they are consumed by delivery they are written first, and no more come.
  void OnClose(const Status& reason) {
    std::shared_ptr<ReceiverHandle> consuming;
    {
      MutexLock lock(mutex_);
      if (finish_with_) return;
      closed_for_ = reason;
      if (is_consuming_) consuming = receiver_;
    }
    if (consuming == nullptr) return End(EndFor(reason));
    consuming->Stop();
  }

  std::optional<Status> closed_for() {
    MutexLock lock(mutex_);
    return closed_for_;
  }

  // --- requests ---

  // False if the stream has ended: what was read now is not carried out, and the end of the stream
  // says so.
  bool BeginHandling() {
    MutexLock lock(mutex_);
    is_reading_ = false;
    if (finish_with_ || closed_for_) return false;
    is_handling_ = true;
    return true;
  }

  void EndHandling() {
    Step step;
    {
      MutexLock lock(mutex_);
      is_handling_ = false;
      step = NextStep();
    }
    Do(std::move(step));
  }

  // What was read; an error ends the stream.
  Status Handle() {
    google::protobuf::Arena arena;
    auto* request = google::protobuf::Arena::CreateMessage<v1::ReceiveStreamRequest>(&arena);
    request_bytes_ = read_.Length();
    WHARF_RETURN_IF_ERROR(Parse(read_, request));
    return HandleRequest(*request);
  }

  Status HandleRequest(v1::ReceiveStreamRequest& request) {
    if (request.has_start()) return HandleStart(request.start());
    if (path_.empty()) {
      return {ErrorCode::kArgumentError, "the first request of a ReceiveStream must be start"};
    }
    switch (request.request_case()) {
      case v1::ReceiveStreamRequest::kGrant:
        return HandleCredit(request.grant(), &ReceiverHandle::Grant);
      case v1::ReceiveStreamRequest::kRevoke:
        return HandleCredit(request.revoke(), &ReceiverHandle::Revoke);
      case v1::ReceiveStreamRequest::kDrain:
        receiver().Drain();
        return {};
      case v1::ReceiveStreamRequest::kStop:
        receiver().Stop();
        return {};
      case v1::ReceiveStreamRequest::kSettle:
        return HandleSettle(request.settle());
      case v1::ReceiveStreamRequest::kRenewLock:
        return HandleRenewLock(request.renew_lock());
      default:
        return {ErrorCode::kArgumentError, "the request is empty or of a newer version"};
    }
  }

  Status HandleStart(const v1::ReceiveStart& start) {
    if (!path_.empty()) return {ErrorCode::kArgumentError, "the stream was started before"};
    if (start.entity_path().empty()) return {ErrorCode::kArgumentError, "entity_path is empty"};
    Result<ReceiveMode> mode = FromProto(start.mode());
    if (!mode.ok()) return mode.status();
    Result<SessionUse> session = SessionFromProto(start);
    if (!session.ok()) return session.status();
    path_ = start.entity_path();
    NoteMode(*mode);
    NoteReceiver(requests().Attach(NewCaller(), AttachRequest{{path_}, *mode, *std::move(session)},
                                   shared_from_this(),
                                   [self = shared_from_this()](const Result<Attached>& attached) {
                                     self->OnAttached(attached);
                                   }));
    return {};
  }

  void NoteMode(ReceiveMode mode) {
    MutexLock lock(mutex_);
    is_consuming_ = mode == ReceiveMode::kReceiveAndDelete;
  }

  // By now the stream may have ended.
  void NoteReceiver(const std::shared_ptr<ReceiverHandle>& receiver) {
    bool has_ended = false;
    {
      MutexLock lock(mutex_);
      receiver_ = receiver;
      has_ended = finish_with_.has_value();
    }
    if (has_ended) receiver->Detach();
  }

  // What a client asks of its receiver before `started` is done then.
  ReceiverHandle& receiver() {
    MutexLock lock(mutex_);
    return *receiver_;
  }

  void OnAttached(const Result<Attached>& attached) {
    if (!attached.ok()) return End(EndFor(attached.status()));
    v1::ReceiveStreamResponse response;
    ToProto(attached->lock_duration, response.mutable_started()->mutable_lock_duration());
    grpc::ByteBuffer bytes = Serialize(response);
    Step step;
    {
      MutexLock lock(mutex_);
      lane_ = attached->lane;
      if (!finish_with_) outbox_.PushAnswer(bytes);
      step = NextStep();
    }
    Do(std::move(step));
  }

  Status HandleCredit(const v1::ReceiveCredit& proto, void (ReceiverHandle::*verb)(const Credit&)) {
    if (proto.bytes() > kCreditBytesMax) {
      return {ErrorCode::kArgumentOutOfRange, "credit in bytes must be at most 1 GiB"};
    }
    (receiver().*verb)(FromProto(proto));
    return {};
  }

  // Too many tokens end the stream: each of them would be answered with the same error.
  static Status CheckTokens(const google::protobuf::RepeatedPtrField<std::string>& tokens) {
    return CheckCountMax(static_cast<std::size_t>(tokens.size()), "lock tokens");
  }

  Status HandleSettle(const v1::StreamSettle& proto) {
    WHARF_RETURN_IF_ERROR(CheckTokens(proto.settlement().lock_tokens()));
    Result<Settlement> settlement = FromProto(proto.settlement());
    if (!settlement.ok()) return settlement.status();
    TokenList tokens = TokensFromProto(proto.settlement().lock_tokens());
    std::vector<std::string> names(proto.settlement().lock_tokens().begin(),
                                   proto.settlement().lock_tokens().end());
    const std::size_t expected = BeginRequest(proto.settlement().lock_tokens_size());
    const Caller caller = NewCaller();
    requests().Ask(
        caller, SettleRequest{entity(), std::move(tokens), *std::move(settlement)},
        [self = shared_from_this(), request_id = proto.request_id(), names = std::move(names),
         id = caller.tracking_id, expected](const Result<SettleReceipt>& receipt) {
          self->EndRequest(expected, SettleAnswer(request_id, names, {self->path_, id}, receipt));
        });
    return {};
  }

  static v1::ReceiveStreamResponse SettleAnswer(std::uint64_t request_id,
                                                const std::vector<std::string>& tokens,
                                                const AboutRequest& about,
                                                const Result<SettleReceipt>& receipt) {
    v1::ReceiveStreamResponse response;
    v1::SettleOutcome& outcome = *response.mutable_settled();
    outcome.set_request_id(request_id);
    std::uint32_t settled = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Status status = receipt.ok() ? (*receipt)[i] : receipt.status();
      if (status.ok()) {
        ++settled;
        continue;
      }
      v1::TokenResult* failure = outcome.add_failures();
      failure->set_lock_token(tokens[i]);
      *failure->mutable_error() = ToProto(status, about);
    }
    outcome.set_settled(settled);
    return response;
  }

  Status HandleRenewLock(const v1::StreamRenewLock& proto) {
    WHARF_RETURN_IF_ERROR(CheckTokens(proto.lock_tokens()));
    const std::size_t expected = BeginRequest(proto.lock_tokens_size());
    const Caller caller = NewCaller();
    requests().Ask(caller, RenewLockRequest{entity(), TokensFromProto(proto.lock_tokens())},
                   [self = shared_from_this(), proto, id = caller.tracking_id,
                    expected](const Result<RenewReceipt>& receipt) {
                     self->EndRequest(expected, RenewAnswer(proto, {self->path_, id}, receipt));
                   });
    return {};
  }

  static v1::ReceiveStreamResponse RenewAnswer(const v1::StreamRenewLock& proto,
                                               const AboutRequest& about,
                                               const Result<RenewReceipt>& receipt) {
    v1::ReceiveStreamResponse response;
    v1::RenewLockOutcome& outcome = *response.mutable_renewed();
    outcome.set_request_id(proto.request_id());
    const RenewReceipt failed(static_cast<std::size_t>(proto.lock_tokens_size()),
                              Result<Timestamp>(receipt.status()));
    RenewToProto(receipt.ok() ? *receipt : failed, proto.lock_tokens(), about,
                 outcome.mutable_results());
    return response;
  }

  Requests& requests() const { return ticket_.broker().requests; }
  Caller NewCaller() const {
    return {.peer = asker_.peer(),
            .door = asker_.door(),
            .tracking_id = NewTrackingId(),
            .permit = ticket_.permit()};
  }
  AboutRequest NewSubject() const { return {path_, NewTrackingId()}; }
  // Answers that it had did not get through: they may have told that something was done.
  grpc::Status EndOfBroken() const {
    return EndFor({ErrorCode::kServiceCommunicationProblem,
                   "the stream was cut off before its answers were read", Outcome::kUnknown});
  }
  grpc::Status EndFor(const Status& reason) const { return ToGrpc(reason, NewSubject()); }

  // What it was attached to, also if another entity has the path now.
  EntityRef entity() {
    MutexLock lock(mutex_);
    return {path_, lane_};
  }

  // Of its deliveries.
  LaneId lane() {
    MutexLock lock(mutex_);
    return lane_.value_or(LaneId());
  }

  // Of so many tokens. Answers the bytes that are kept free for its answer.
  std::size_t BeginRequest(int tokens) {
    const std::size_t expected =
        ExpectedAnswerBytes(request_bytes_, static_cast<std::size_t>(tokens));
    MutexLock lock(mutex_);
    ++unanswered_;
    expected_bytes_ += expected;
    return expected;
  }

  void EndRequest(std::size_t expected, const v1::ReceiveStreamResponse& response) {
    grpc::ByteBuffer bytes = Serialize(response);
    Step step;
    {
      MutexLock lock(mutex_);
      --unanswered_;
      expected_bytes_ -= expected;
      outbox_.PushReply(bytes);
      step = NextStep();
    }
    Do(std::move(step));
  }

  // --- responses ---

  void Enqueue(const v1::ReceiveStreamResponse& response) {
    grpc::ByteBuffer bytes = Serialize(response);
    Step step;
    {
      MutexLock lock(mutex_);
      outbox_.PushAnswer(bytes);
      step = NextStep();
    }
    Do(std::move(step));
  }

  // No more deliveries; what is under way is answered, then the stream is finished.
  void End(const grpc::Status& status) {
    std::shared_ptr<ReceiverHandle> receiver;
    Step step;
    {
      MutexLock lock(mutex_);
      if (!finish_with_) finish_with_ = status;
      if (status.error_code() == grpc::StatusCode::CANCELLED) is_broken_ = true;
      receiver = receiver_;
      step = NextStep();
    }
    Do(std::move(step));
    if (receiver != nullptr) receiver->Detach();
  }

  // What was not written will never be: it goes back to its queue (LCK-14). What was consumed by
  // its delivery cannot, so it is written all the same, whoever ended the stream, as long as there
  // is somebody to read it.
  void DropDeliveries() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (is_consuming_ && !is_broken_ && !is_torn_) return;
    for (const Delivered& delivered : outbox_.DropDeliveries()) DropDelivery(delivered);
    if (is_broken_) outbox_.DropAnswers();
  }

  void DropDelivery(const Delivered& delivered) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (!delivered.token.is_zero()) {
      unheard_.emplace_back(delivered.token);
    } else if (!delivered.message->has_body()) {
      receiver_->DropBody(*delivered.message->facts.body_ref);
    }
  }

  // To one request more.
  bool HasRoomForAnswers() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return unanswered_ + outbox_.answer_count() < kUnansweredSettlementsMax &&
           expected_bytes_ + outbox_.answer_bytes() < kUnreadAnswerBytesMax;
  }

  // What can be done now; whoever asks must do it.
  Step NextStep() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (finish_with_) DropDeliveries();
    Step step;
    step.unheard.swap(unheard_);
    step.reads =
        !is_reading_ && !is_handling_ && !finish_with_ && !closed_for_ && HasRoomForAnswers();
    if (step.reads) is_reading_ = true;
    if (!is_writing_ && !is_finished_ && outbox_.is_ready()) {
      is_writing_ = true;
      step.response = outbox_.Take();
      written_ = std::move(step.response->written);
    }
    step.chunk = outbox_.NextRead();
    const bool finishes = finish_with_ && !is_finished_ && !is_handling_ && !is_writing_ &&
                          unanswered_ == 0 && outbox_.is_empty();
    if (finishes) {
      is_finished_ = true;
      step.finish_with = is_broken_ ? EndOfBroken() : finish_with_;
    }
    held_.Set(outbox_.bytes() + written_.held_bytes);
    return step;
  }

  void Do(Step step) {
    if (!step.unheard.empty()) ReleaseUnheard(requests(), NewCaller(), entity(), step.unheard);
    if (step.reads) StartRead(&read_);
    if (step.chunk) ReadChunk(*step.chunk);
    if (step.response) {
      write_ = step.response->ToBytes();
      StartWrite(&write_);
    }
    if (step.finish_with) Finish(*std::move(step.finish_with));
  }

  // The rest of what was delivered while its client was allowed to receive it: by now its permit
  // may have ended, and a message that is consumed by its delivery is nowhere else.
  void ReadChunk(const ReceiveOutbox::ChunkRead& read) {
    const Delivered& delivered = read.large->delivered();
    requests().Ask(DoorItself(NewCaller()),
                   ReadBodyChunkRequest{read.large->body(), read.chunk, lane(), delivered.token},
                   [self = shared_from_this(), large = read.large](Result<std::string> bytes) {
                     self->OnChunkRead(*large, std::move(bytes));
                   });
  }

  // A body that is gone ends the stream: half a message must not pass for one.
  void OnChunkRead(LargeDelivery& large, Result<std::string> read) {
    if (!read.ok()) return OnChunkGone(large, read.status());
    Step step;
    {
      MutexLock lock(mutex_);
      if (!outbox_.IsSending(large)) return;
      large.Add(*std::move(read));
      step = NextStep();
    }
    Do(std::move(step));
  }

  void OnChunkGone(const LargeDelivery& large, const Status& reason) {
    {
      MutexLock lock(mutex_);
      if (!outbox_.IsSending(large)) return;
      is_torn_ = true;
    }
    End(EndFor(reason));
  }

  CallGate::Ticket ticket_;
  const Asker asker_;
  std::shared_ptr<ReceiveStream> self_;
  // Owned by whoever reads or writes.
  grpc::ByteBuffer read_;
  grpc::ByteBuffer write_;
  // Set by the first request, then constant.
  std::string path_;
  // Of the request that is handled.
  std::size_t request_bytes_ = 0;

  Mutex mutex_;
  // Null before it is started.
  std::shared_ptr<ReceiverHandle> receiver_ ABSL_GUARDED_BY(mutex_);
  // Absent before it is attached.
  std::optional<LaneId> lane_ ABSL_GUARDED_BY(mutex_);
  ReceiveOutbox outbox_ ABSL_GUARDED_BY(mutex_);
  // What is being written.
  WrittenDeliveries written_ ABSL_GUARDED_BY(mutex_);
  // Both together.
  HeldBytes held_ ABSL_GUARDED_BY(mutex_);
  TokenList unheard_ ABSL_GUARDED_BY(mutex_);
  // Settlements and renewals.
  std::size_t unanswered_ ABSL_GUARDED_BY(mutex_) = 0;
  // That their answers may have.
  std::size_t expected_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  // Messages are gone with their delivery.
  bool is_consuming_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_reading_ ABSL_GUARDED_BY(mutex_) = true;
  // A request.
  bool is_handling_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_writing_ ABSL_GUARDED_BY(mutex_) = false;
  // Why the gate was closed; absent while it is open.
  std::optional<Status> closed_for_ ABSL_GUARDED_BY(mutex_);
  bool is_broken_ ABSL_GUARDED_BY(mutex_) = false;
  // A body is gone of which a part is written: nothing can be written behind it.
  bool is_torn_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_finished_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<grpc::Status> finish_with_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

StreamReactor* StartReceiveStream(const Gates& gates, grpc::CallbackServerContext& context) {
  auto stream = std::make_shared<ReceiveStream>(gates, context);
  stream->Begin();
  return stream.get();
}

}  // namespace wharf
