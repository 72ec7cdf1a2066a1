#include "broker/doors/http/console/api_stream.h"

#include <exception>
#include <utility>

#include <boost/asio/post.hpp>

#include "broker/doors/http/connection.h"
#include "broker/doors/http/console/api_answer.h"
#include "broker/doors/http/console/json_form.h"

namespace wharf::console {
namespace {

constexpr std::uint16_t kNormal = 1000;
// What is above is for protocols like this one (RFC 6455 7.4.2).
constexpr std::uint16_t kPrivate = 4000;

}  // namespace

ApiStream::ApiStream(const ApiMethod& method, Held held, MessageSocketPtr socket)
    : method_(method),
      held_(std::move(held)),
      socket_(std::move(socket)),
      executor_(socket_->executor()),
      timer_(executor_) {}

void ApiStream::Begin(InnerCalls& calls) {
  stream_ = calls.Open({.method = method_.grpc_path, .caller = held_.visit->caller_of_stream()},
                       Events());
  ReadNext();
  Hear();
  Look();
}

// What waits is with the broker, where it is bounded.
void ApiStream::ReadNext() {
  awaits_room_ = !held_.has_room();
  if (!awaits_room_) stream_->Read();
}

void ApiStream::Look() {
  timer_.expires_after(held_.pace);
  timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (self != nullptr && !error) self->OnLook();
  });
}

void ApiStream::OnLook() {
  if (stream_ == nullptr) return;
  ++looks_;
  if (Status over = WhyOver(); !over.ok()) {
    wrong_ = std::move(over);
    return stream_.reset();
  }
  if (awaits_room_) ReadNext();
  Look();
}

Status ApiStream::WhyOver() const {
  if (!held_.is_signed_in())
    return {ErrorCode::kUnauthorized, "the session is over: sign in again"};
  if (has_asked_ || looks_ < kLooksToFirstRequest) return {};
  return {ErrorCode::kServiceTimeout, "nothing was asked for 30 s"};
}

InnerCalls::StreamEvents ApiStream::Events() {
  const auto self = shared_from_this();
  return {.on_read =
              [self](std::optional<std::string> response) {
                self->Post([self, response = std::move(response)] { self->OnResponse(response); });
              },
          .on_written =
              [self](bool is_taken) { self->Post([self, is_taken] { self->OnTaken(is_taken); }); },
          .on_over =
              [self](Answer answer) {
                self->Post([self, answer = std::move(answer)] { self->OnOver(answer); });
              }};
}

// What nobody has thought of ends this stream, and nothing else.
template <typename Step>
void ApiStream::Post(Step step) {
  boost::asio::post(executor_, [self = shared_from_this(), step = std::move(step)] {
    try {
      step();
    } catch (const std::exception& wrong) {
      LogBrokenHandler(wrong);
      self->Leave();
    }
  });
}

// --- what its client asks ---

void ApiStream::Hear() {
  socket_->Read(
      [self = shared_from_this()](const std::optional<std::string>& text) { self->OnText(text); });
}

// It is listened to until it goes, whatever it may still ask.
void ApiStream::OnText(const std::optional<std::string>& text) {
  if (!text) return Leave();
  if (stream_ == nullptr) return;
  has_asked_ = true;
  if (has_ended_requests_) return Hear();
  if (text->empty()) {
    EndRequests({});
    return Hear();
  }
  if (const Status wrong = Pass(*text); !wrong.ok()) {
    EndRequests(wrong);
    Hear();
  }
}

Status ApiStream::Pass(const std::string& text) {
  const Result<std::string> request = BytesOfJson(text, *method_.descriptor->input_type());
  if (!request.ok()) return request.status();
  stream_->Write(*request);
  return {};
}

void ApiStream::OnTaken(bool /*is_taken*/) {
  if (stream_ != nullptr && socket_ != nullptr) Hear();
}

void ApiStream::EndRequests(const Status& why) {
  has_ended_requests_ = true;
  wrong_ = why;
  stream_->EndWrites();
}

// --- what it is told ---

// With the last one its end follows.
void ApiStream::OnResponse(const std::optional<std::string>& response) {
  if (stream_ == nullptr) return;
  if (!response) return stream_.reset();
  Result<std::string> text = JsonOfBytes(*response, *method_.descriptor->output_type());
  if (!text.ok()) {
    wrong_ = text.status();
    return stream_.reset();
  }
  is_saying_ = true;
  socket_->Write(*std::move(text),
                 [self = shared_from_this()](bool is_said) { self->OnSaid(is_said); });
}

void ApiStream::OnSaid(bool is_said) {
  is_saying_ = false;
  if (!is_said) return Leave();
  if (end_) return SayEnd();
  if (stream_ != nullptr) ReadNext();
}

void ApiStream::OnOver(Answer answer) {
  stream_.reset();
  end_ = std::move(answer);
  if (!is_saying_) SayEnd();
}

void ApiStream::SayEnd() {
  if (socket_ == nullptr) return;
  if (wrong_.ok() && end_->code == 0) return Close(kNormal, "");
  const TrackingId& id = held_.visit->tracking_id();
  const ApiCode& code = wrong_.ok() ? ApiCodeOf(end_->code) : ApiCodeOf(wrong_.code());
  const HttpResponse error = wrong_.ok() ? ErrorAnswer(*end_, id) : ErrorAnswer(wrong_, id);
  socket_->Write(error.body, [self = shared_from_this(), &code](bool is_said) {
    is_said ? self->Close(kPrivate + code.grpc, code.name) : self->Leave();
  });
}

void ApiStream::Close(int code, std::string_view name) {
  if (socket_ == nullptr) return;
  socket_->Close(static_cast<std::uint16_t>(code), name);
  socket_.reset();
}

void ApiStream::Leave() {
  socket_.reset();
  stream_.reset();
}

}  // namespace wharf::console
