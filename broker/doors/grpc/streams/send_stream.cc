#include "broker/doors/grpc/streams/send_stream.h"

#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include <wharf/v1/messaging.pb.h>

#include "absl/base/thread_annotations.h"
#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/services/call.h"
#include "broker/doors/grpc/streams/large_request.h"
#include "broker/doors/grpc/streams/unread_answers.h"
#include "broker/requests/check.h"
#include "storage/base/mutex.h"

namespace wharf {
namespace {

// Requests of one stream that may wait for their receipts to be written.
constexpr std::size_t kUnansweredRequestsMax = 256;
// Bytes of these requests.
constexpr std::size_t kUnansweredBytesMax = 8 * 1024 * 1024;
// Rows of large bodies between the wire and the commit.
constexpr std::ptrdiff_t kRowsMax = 4;
// Behind a larger request the next one needs a place at the gate, as the first one does.
constexpr std::size_t kFreeReadBytesMax = 1024 * 1024;
// How long its place is safe while others wait: a stream may have nothing to send.
constexpr Duration kStreamReadHold = std::chrono::milliseconds(250);

// Callbacks of gRPC come on its threads, answers on the publisher's. What is to be done next is
// decided under mutex_ and done without it, because gRPC may call back at once. Kept alive by gRPC
// until OnDone.
class SendStream final : public StreamReactor,
                         public ReadGate::Reader,
                         public std::enable_shared_from_this<SendStream> {
 public:
  SendStream(const Gates& gates, grpc::CallbackServerContext& context)
      : reads_(gates.reads),
        ticket_(gates.calls.Enter([&context] { context.TryCancel(); })),
        asker_(gates.vouched, context) {}

  void Begin() {
    self_ = shared_from_this();
    if (!ticket_.is_valid()) return Finish(EndFor(asker_.RefusalOf(ticket_)));
    const AboutRequest about{.tracking_id = asker_.tracking_id()};
    if (Status refused = asker_.Prove(ticket_, about); !refused.ok()) {
      return Finish(ToGrpc(refused, about));
    }
    WaitForPlace();
    ticket_.OnClose([weak = weak_from_this()](const Status& reason) {
      if (const auto stream = weak.lock()) stream->OnClose(reason);
    });
  }

  void OnReadDone(bool ok) override {
    const bool has_ended = !BeginHandling();
    const Status end = ok && !has_ended ? Handle() : Status::Ok();
    reads_.Leave(*this);
    if (has_ended) return;
    const bool goes_on = ok && end.ok();
    if (!goes_on) EndLarge();
    EndHandling(goes_on ? std::nullopt : std::optional(EndFor(end)));
  }

  // Under the lock, because there must be no read behind the end; gRPC calls back on threads of its
  // own.
  void OnPlace() override {
    MutexLock lock(mutex_);
    if (!is_finished_) StartRead(&read_);
  }

  // What was taken is answered first.
  void OnRefused(const Status& reason) override {
    if (!BeginHandling()) return;
    EndLarge();
    EndHandling(EndFor(reason));
  }

  // Its client has nothing to send, as a rule: the read goes on.
  void OnPlaceLost(const Status& /*reason*/) override {}

  void OnWriteDone(bool ok) override {
    Step step;
    {
      MutexLock lock(mutex_);
      is_writing_ = false;
      if (!ok) is_broken_ = true;
      step = NextStep();
    }
    Do(std::move(step));
  }

  // What was sent before is carried out all the same; its receipts have no reader.
  void OnCancel() override {
    {
      MutexLock lock(mutex_);
      is_broken_ = true;
    }
    if (reads_.Leave(*this)) OnPlace();  // Such a read fails at once.
  }

  void OnDone() override {
    reads_.Leave(*this);
    ticket_.GiveBack();
    // The last reference may be ours: it goes when this function returns.
    const std::shared_ptr<SendStream> self = std::move(self_);
  }

 private:
  // A request on its way, and its receipt when it is there.
  struct Pending {
    std::uint64_t request_id = 0;
    std::size_t bytes = 0;
    // Of its receipt; before that is there, those that it may have.
    std::size_t receipt_bytes = 0;
    std::string path{};
    TrackingId tracking_id = NewTrackingId();
    std::optional<grpc::ByteBuffer> receipt{};
  };
  struct Step {
    bool waits_for_place = false;
    bool reads = false;
    // It is in write_.
    bool writes = false;
    std::optional<grpc::Status> finish_with;
  };

  Requests& requests() const { return ticket_.broker().requests; }

  // To read; OnPlace follows, or OnRefused if the gate is closed. What its client sends meanwhile
  // flow control keeps there, unread; what was taken is answered.
  void WaitForPlace() {
    reads_.Enter(shared_from_this(), ConnectionOf(asker_.peer()), kStreamReadHold,
                 ReadGate::Patience::kEndless);
  }

  // Answers that it had did not get through: they may have told that something was done.
  static grpc::Status EndOfBroken() {
    return EndFor({ErrorCode::kServiceCommunicationProblem,
                   "the stream was cut off before its answers were read", Outcome::kUnknown});
  }
  static grpc::Status EndFor(const Status& reason) {
    return ToGrpc(reason, {.tracking_id = NewTrackingId()});
  }

  // False if the stream has ended: what was read now is not carried out, and the end of the stream
  // says so.
  bool BeginHandling() {
    MutexLock lock(mutex_);
    is_reading_ = false;
    if (finish_with_) return false;
    is_handling_ = true;
    return true;
  }

  void EndHandling(std::optional<grpc::Status> end) {
    Step step;
    bool was_ended = false;
    {
      MutexLock lock(mutex_);
      was_ended = finish_with_.has_value();
      if (!was_ended) {
        finish_with_ = std::move(end);
        is_handling_ = false;
        step = NextStep();
      }
    }
    if (!was_ended) return Do(std::move(step));
    BreakOffLarge();  // Still handling: nobody else ends it.
    StopHandling();
  }

  void StopHandling() {
    Step step;
    {
      MutexLock lock(mutex_);
      is_handling_ = false;
      step = NextStep();
    }
    Do(std::move(step));
  }

  // Takes no more requests. What was taken is carried out and answered, and then the end of the
  // stream says that all the rest was not done.
  void OnClose(const Status& reason) {
    {
      MutexLock lock(mutex_);
      if (finish_with_) return;
      finish_with_ = EndFor(reason);
      closed_for_ = reason;
      // Then it sees that this is the end.
      if (std::exchange(is_handling_, true)) return;
    }
    BreakOffLarge();
    StopHandling();
  }

  // What was read; an error ends the stream.
  Status Handle() {
    google::protobuf::Arena arena;
    auto* request = google::protobuf::Arena::CreateMessage<v1::SendStreamRequest>(&arena);
    const std::size_t bytes = read_.Length();
    needs_place_ = bytes > kFreeReadBytesMax;
    WHARF_RETURN_IF_ERROR(Parse(read_, request));
    // They end the stream: each of them would be answered with the same error.
    WHARF_RETURN_IF_ERROR(CheckCountMax(CountOf(*request), "messages"));
    HandleRequest(*request, bytes);
    return {};
  }

  static std::size_t CountOf(const v1::SendStreamRequest& request) {
    return static_cast<std::size_t>(request.send().messages_size());
  }

  void HandleRequest(v1::SendStreamRequest& request, std::size_t bytes) {
    if (request.has_chunk()) return HandleChunk(request);
    EndLarge();
    if (request.has_header()) return HandleHeader(request, bytes);
    v1::SendRequest& send = *request.mutable_send();
    const std::size_t count = CountOf(request);
    Pending* pending = Add(request.request_id(), bytes, send.entity_path(), count);
    if (!send.transaction_id().empty()) {
      return Answer(pending, count,
                    Status(ErrorCode::kInvalidOperation,
                           "a stream cannot send in a transaction; use the call Send"));
    }
    if (Status large = CheckRequestSize(send); !large.ok()) return Answer(pending, count, large);
    Result<std::vector<Message>> messages = FromProto(*send.mutable_messages());
    if (!messages.ok()) return Answer(pending, count, messages.status());
    requests().Ask(CallerOf(*pending),
                   SendRequest{Find(pending->path), *std::move(messages), send.atomic()},
                   [this, pending, count](const Result<SendReceipt>& receipt) {
                     Answer(pending, count, receipt);
                   });
  }

  // A body that is gathered in memory counts as if it had come already.
  void HandleHeader(v1::SendStreamRequest& request, std::size_t bytes) {
    v1::LargeMessageHeader& header = *request.mutable_header();
    const std::int64_t size = header.body_size();
    const bool is_held = size > 0 && static_cast<std::uint64_t>(size) <= kHeldBodyBytesMax;
    if (is_held) bytes += static_cast<std::size_t>(size);
    Pending* pending = Add(request.request_id(), bytes, header.entity_path());
    large_.emplace(
        requests(), CallerOf(*pending), header, [this] { CountRows(-1); },
        [this, pending](const Result<SendOutcome>& number) {
          Answer(pending, 1,
                 number.ok() ? Result<SendReceipt>(SendReceipt{number}) : number.status());
        });
  }

  // Chunks have no answers of their own; the first one that belongs to nothing is answered.
  void HandleChunk(v1::SendStreamRequest& request) {
    if (large_ && !large_->is_complete()) {
      return CountRows(static_cast<std::ptrdiff_t>(
          large_->Add(std::move(*request.mutable_chunk()->mutable_data()))));
    }
    large_.reset();
    if (std::exchange(skips_chunks_, true)) return;
    Answer(Add(request.request_id(), 0, ""), 1,
           Status(ErrorCode::kArgumentError,
                  "the chunk belongs to no message: a header must come first, and the body was "
                  "complete if there was one"));
  }

  void EndLarge() {
    if (large_) large_->End();
    large_.reset();
    skips_chunks_ = false;
  }

  Status closed_for() {
    MutexLock lock(mutex_);
    return closed_for_;
  }

  void BreakOffLarge() {
    if (large_) large_->BreakOff(closed_for());
    large_.reset();
  }

  // A row may leave memory before it was counted; for that moment there are fewer than none.
  void CountRows(std::ptrdiff_t rows) {
    if (rows == 0) return;
    Step step;
    {
      MutexLock lock(mutex_);
      rows_ += rows;
      step = NextStep();
    }
    Do(std::move(step));
  }

  // Elements of a deque stay where they are while others come and go at its ends.
  Pending* Add(std::uint64_t request_id, std::size_t bytes, std::string path,
               std::size_t count = 1) {
    const std::size_t expected = ExpectedAnswerBytes(0, count);
    MutexLock lock(mutex_);
    pending_.push_back({request_id, bytes, expected, std::move(path)});
    bytes_ += bytes;
    receipt_bytes_ += expected;
    return &pending_.back();
  }

  Caller CallerOf(const Pending& pending) const {
    return {.peer = asker_.peer(),
            .door = asker_.door(),
            .tracking_id = pending.tracking_id,
            .permit = ticket_.permit()};
  }

  // A stream looks an entity up once, and again when that is gone.
  EntityRef Find(const std::string& path) {
    MutexLock lock(mutex_);
    if (entity_.path != path || !entity_.lane) entity_ = requests().Find(path);
    return entity_;
  }

  void NoteOutcome(const Result<SendReceipt>& receipt) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (receipt.status().code() == ErrorCode::kMessagingEntityNotFound) entity_.lane.reset();
  }

  void Answer(Pending* pending, std::size_t count, const Result<SendReceipt>& receipt) {
    const AboutRequest about{pending->path, pending->tracking_id};
    v1::SendStreamResponse response;
    response.set_request_id(pending->request_id);
    for (std::size_t i = 0; i < count; ++i) {
      ToProto(receipt.ok() ? (*receipt)[i] : Result<SendOutcome>(receipt.status()), about,
              response.add_results());
    }
    grpc::ByteBuffer bytes = Serialize(response);
    Step step;
    {
      MutexLock lock(mutex_);
      receipt_bytes_ += bytes.Length();
      receipt_bytes_ -= std::exchange(pending->receipt_bytes, bytes.Length());
      pending->receipt = std::move(bytes);
      NoteOutcome(receipt);
      step = NextStep();
    }
    Do(std::move(step));
  }

  bool CanRead() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return pending_.size() < kUnansweredRequestsMax && bytes_ < kUnansweredBytesMax &&
           receipt_bytes_ < kUnreadAnswerBytesMax && rows_ < kRowsMax;
  }

  // What can be done now: write a receipt, read on, finish. Whoever asks must do it.
  Step NextStep() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    Step step;
    step.writes = TakeReceipt();
    if (!is_reading_ && !is_handling_ && !finish_with_ && CanRead()) {
      is_reading_ = true;
      step.waits_for_place = needs_place_ && !is_broken_;
      step.reads = !step.waits_for_place;
    }
    const bool finishes = finish_with_ && !is_handling_ && pending_.empty() && rows_ == 0 &&
                          !is_writing_ && !is_finished_;
    if (finishes) {
      is_finished_ = true;
      step.finish_with = is_broken_ ? EndOfBroken() : finish_with_;
    }
    return step;
  }

  void Do(Step step) {
    if (step.waits_for_place) WaitForPlace();
    if (step.reads) StartRead(&read_);
    if (step.writes) StartWrite(&write_);
    if (step.finish_with) Finish(*std::move(step.finish_with));
  }

  // Moves the oldest receipt into write_, if it is its turn. Nobody reads those of a broken stream.
  bool TakeReceipt() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    while (!is_writing_ && !pending_.empty() && pending_.front().receipt) {
      write_ = *std::move(pending_.front().receipt);
      bytes_ -= pending_.front().bytes;
      receipt_bytes_ -= pending_.front().receipt_bytes;
      pending_.pop_front();
      if (is_broken_) continue;
      is_writing_ = true;
      return true;
    }
    return false;
  }

  ReadGate& reads_;
  CallGate::Ticket ticket_;
  const Asker asker_;
  std::shared_ptr<SendStream> self_;
  // Owned by whoever reads or writes.
  grpc::ByteBuffer read_;
  grpc::ByteBuffer write_;
  // Owned by whoever handles.
  std::optional<LargeRequest> large_;
  bool skips_chunks_ = false;
  // To read on: the request before was a large one, or there was none yet. Looked at when nobody
  // handles.
  bool needs_place_ = true;

  Mutex mutex_;
  // What was sent to last.
  EntityRef entity_ ABSL_GUARDED_BY(mutex_);
  std::deque<Pending> pending_ ABSL_GUARDED_BY(mutex_);
  std::size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  // Of the receipts of pending_.
  std::size_t receipt_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  // Of large bodies, on their way to the commit.
  std::ptrdiff_t rows_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_reading_ ABSL_GUARDED_BY(mutex_) = true;
  // A request, or the end of a large one.
  bool is_handling_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_broken_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_finished_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<grpc::Status> finish_with_ ABSL_GUARDED_BY(mutex_);
  // Why the gate was closed; ok while it is open.
  Status closed_for_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

StreamReactor* StartSendStream(const Gates& gates, grpc::CallbackServerContext& context) {
  auto stream = std::make_shared<SendStream>(gates, context);
  stream->Begin();
  return stream.get();
}

}  // namespace wharf
