#include "replication/peers/streams/framed_stream.h"

#include <utility>

#include "storage/base/log_limit.h"

namespace wharf {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// For the other end to read the last sentence, and to close.
constexpr Duration kLingerMax = std::chrono::seconds(1);
// What a buffer that was once large may keep.
constexpr std::size_t kBufferBytesKept = 512 << 10;

Status Ended(std::string why) { return {ErrorCode::kServiceCommunicationProblem, std::move(why)}; }

}  // namespace

std::shared_ptr<FramedStream> FramedStream::Begin(std::unique_ptr<Transport> transport,
                                                  const asio::any_io_executor& strand,
                                                  wharf::End end, Duration deadline, User& user) {
  auto stream = std::make_shared<FramedStream>(std::move(transport), strand, user);
  stream->Start(end, deadline);
  return stream;
}

FramedStream::FramedStream(std::unique_ptr<Transport> transport,
                           const asio::any_io_executor& strand, User& user)
    : transport_(std::move(transport)), deadline_(strand), user_(&user), heard_at_(SteadyNow()) {}

void FramedStream::Start(wharf::End end, Duration deadline) {
  Extend(deadline);
  transport_->Begin(end,
                    [self = shared_from_this()](const Status& begun) { self->OnBegun(begun); });
}

// How TLS failed is told to the other end by an alert, which must arrive.
void FramedStream::OnBegun(const Status& begun) {
  if (is_closed_) return;
  if (!begun.ok()) {
    User* const user = std::exchange(user_, nullptr);
    Linger();
    if (user != nullptr) user->OnEnd(begun);
    return;
  }
  if (user_ == nullptr) return Close();
  ReadNext();
  user_->OnBegun();
}

void FramedStream::Extend(Duration deadline) {
  deadline_.After(deadline, [this] { Leave(Ended("it took too long to say who it is")); });
}

void FramedStream::Establish(std::size_t payload_bytes_max) {
  deadline_.Cancel();
  reader_.set_payload_bytes_max(payload_bytes_max);
}

// --- reading ---

void FramedStream::ReadNext() {
  if (is_held_ || std::exchange(is_reading_, true)) return;
  transport_->Read(asio::buffer(incoming_),
                   [self = shared_from_this()](const error_code& error, std::size_t bytes) {
                     self->OnRead(error, bytes);
                   });
}

// Who is left hears no more; it is only read until the other end closes.
void FramedStream::OnRead(const error_code& error, std::size_t bytes) {
  is_reading_ = false;
  if (is_closed_) return;
  if (error) return Leave(Ended(transport_->Explain(error)));
  heard_at_ = SteadyNow();
  if (user_ != nullptr) {
    const Status fed = reader_.Feed({incoming_.data(), bytes},
                                    [this](Frame frame) { return Deliver(std::move(frame)); });
    if (!fed.ok()) Leave(fed);
  }
  if (!is_closed_) ReadNext();
}

void FramedStream::GoOnReading() {
  if (std::exchange(is_held_, false) && !is_closed_) ReadNext();
}

Status FramedStream::Deliver(Frame frame) {
  if (user_ == nullptr) return {};  // Left by the frame before.
  return user_->OnFrame(std::move(frame));
}

// --- writing ---

void FramedStream::Write(FrameKind kind, std::string_view payload) {
  if (is_closed_) return;
  writer_.Write(kind, payload, gathered_);
  if (!is_writing_) WriteNext();
}

void FramedStream::WriteNext() {
  is_writing_ = true;
  leaving_.clear();
  if (leaving_.capacity() > kBufferBytesKept) leaving_.shrink_to_fit();
  leaving_.swap(gathered_);
  transport_->Write(asio::buffer(leaving_),
                    [self = shared_from_this()](const error_code& error, std::size_t) {
                      self->OnWritten(error);
                    });
}

// After a failure nothing more is written; what the other end said last is perhaps still to be
// read, and says more than the failure.
void FramedStream::OnWritten(const error_code& error) {
  if (is_closed_) return;
  if (error) {
    return deadline_.After(kLingerMax,
                           [this, why = transport_->Explain(error)] { Leave(Ended(why)); });
  }
  is_writing_ = false;
  if (!gathered_.empty()) return WriteNext();
  if (user_ != nullptr) return user_->OnRoom();
  transport_->EndWriting();
}

// --- the end ---

void FramedStream::Finish() {
  user_ = nullptr;
  if (is_closed_) return;
  GoOnReading();
  deadline_.After(kLingerMax, [this] { Close(); });
  if (!is_writing_) transport_->EndWriting();
}

void FramedStream::Drop() {
  user_ = nullptr;
  Close();
}

void FramedStream::Leave(const Status& why) {
  if (is_closed_) return;
  User* const user = std::exchange(user_, nullptr);
  Close();
  if (user != nullptr) user->OnEnd(why);
}

void FramedStream::Linger() {
  deadline_.After(kLingerMax, [this] { Close(); });
  transport_->EndWriting();
  ReadAway();
}

void FramedStream::ReadAway() {
  transport_->ReadAway(asio::buffer(incoming_),
                       [self = shared_from_this()](const error_code& error, std::size_t) {
                         if (self->is_closed_) return;
                         error ? self->Close() : self->ReadAway();
                       });
}

void FramedStream::Close() {
  if (std::exchange(is_closed_, true)) return;
  deadline_.Cancel();
  transport_->Close();
}

}  // namespace wharf
