// AnswerWriter: writes the answers of a connection to its client, one after another: a whole one at
// once, what has pieces piece by piece.
//
// A piece must be on its way in its time, and all of an answer in its own (HttpLimits); the bytes
// that are being written count in HttpHeld. An answer that is broken off never passes for a whole
// one. A part of its connection, which lives as long as something is written; on its strand.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/http.hpp>

#include "absl/functional/any_invocable.h"
#include "broker/doors/common/held_bytes.h"
#include "broker/doors/http/connection.h"
#include "broker/doors/http/exchange.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

// An Owner has `Guarded`, which runs a step, `is_dropped`, for which nothing more is written, and
// hears `OnAnswered` with what became of an answer, and whether it may be asked more.
template <typename Owner, typename Stream>
class AnswerWriter {
 public:
  // How it was asked.
  struct Form {
    unsigned version = 11;
    // With HEAD: only the head is answered.
    bool is_of_head = false;
    bool keeps_alive = false;
  };

  // All three outlive it.
  AnswerWriter(Owner& owner, Stream& stream, const HttpConnection::World& world)
      : owner_(owner), stream_(stream), world_(world) {}

  // Nothing else is being written.
  void Write(HttpResponse response, const Form& form) {
    is_writing_ = true;
    form_ = form;
    until_ = world_.now() + world_.limits.answer_max;
    written_note_ = std::move(response.written);
    response.pieces || response.source ? BeginPieces(std::move(response))
                                       : WriteWhole(std::move(response));
  }

  // From the first byte of an answer until it is known what became of the last.
  bool is_writing() const { return is_writing_; }

 private:
  using ErrorCode = boost::system::error_code;
  using Milliseconds = std::chrono::milliseconds;

  auto Then(void (AnswerWriter::*next)(ErrorCode, std::size_t)) {
    return [this, owner = owner_.shared_from_this(), next](ErrorCode error, std::size_t bytes) {
      owner->Guarded([&] { (this->*next)(error, bytes); });
    };
  }

  // A whole answer is one piece.
  void AllowPiece() {
    const auto left = std::chrono::duration_cast<Milliseconds>(until_ - world_.now());
    boost::beast::get_lowest_layer(stream_).expires_after(
        std::clamp(left, Milliseconds(0), world_.limits.write_max));
  }

  template <typename Message>
  void Fill(Message& message, const HttpResponse& response) {
    message.version(form_.version == 10 ? 10 : 11);
    message.result(response.status);
    if (!response.type.empty()) {
      message.set(boost::beast::http::field::content_type, response.type);
    }
    for (const auto& [name, value] : response.fields) message.insert(name, value);
  }

  void WriteWhole(HttpResponse response) {
    whole_.emplace();
    Fill(*whole_, response);
    whole_->keep_alive(form_.keeps_alive);
    // Without a body there is none of a length either.
    if (response.status != 204) whole_->content_length(response.body.size());
    if (!form_.is_of_head) whole_->body() = std::move(response.body);
    outgoing_.Set(static_cast<std::int64_t>(whole_->body().size()));
    AllowPiece();
    boost::beast::http::async_write(stream_, *whole_, Then(&AnswerWriter::OnWritten));
  }

  // An old client knows no chunks: there a length, or the end of the connection, is the end of the
  // answer.
  void BeginPieces(HttpResponse response) {
    head_.emplace();
    Fill(*head_, response);
    is_chunked_ = head_->version() >= 11;
    if (!is_chunked_ && response.source) head_->content_length(response.source_bytes);
    if (!is_chunked_ && !response.source) form_.keeps_alive = false;
    head_->keep_alive(form_.keeps_alive);
    if (is_chunked_) head_->chunked(true);
    piece_ = std::move(response.body);
    if (!form_.is_of_head) {
      pieces_ = std::move(response.pieces);
      source_ = std::move(response.source);
    }
    head_writer_.emplace(*head_);
    AllowPiece();
    boost::beast::http::async_write_header(stream_, *head_writer_,
                                           Then(&AnswerWriter::OnPieceWritten));
  }

  void OnPieceWritten(ErrorCode error, std::size_t bytes) {
    written_ = {};
    if (error || (!pieces_ && !source_)) return OnWritten(error, bytes);
    if (owner_.is_dropped()) return BreakOff();
    if (piece_.empty() && source_) return AskForPiece();
    if (piece_.empty()) piece_ = pieces_();
    WritePiece();
  }

  void AskForPiece() {
    outgoing_.Set(0);
    source_([this, executor = boost::asio::any_io_executor(stream_.get_executor()),
             owner = owner_.shared_from_this()](Result<std::string> piece) {
      boost::asio::dispatch(executor, [this, owner, piece = std::move(piece)]() mutable {
        owner->Guarded([&] { OnPiece(std::move(piece)); });
      });
    });
  }

  void OnPiece(Result<std::string> piece) {
    if (owner_.is_dropped() || !piece.ok()) return BreakOff();
    piece_ = *std::move(piece);
    WritePiece();
  }

  void WritePiece() {
    if (piece_.empty()) return EndPieces();
    if (world_.now() >= until_) return BreakOff();
    written_ = std::exchange(piece_, {});
    outgoing_.Set(static_cast<std::int64_t>(written_.size()));
    AllowPiece();
    const auto bytes = boost::asio::buffer(written_);
    auto next = Then(&AnswerWriter::OnPieceWritten);
    if (!is_chunked_) return boost::asio::async_write(stream_, bytes, std::move(next));
    boost::asio::async_write(stream_, boost::beast::http::make_chunk(bytes), std::move(next));
  }

  void EndPieces() {
    if (!is_chunked_) return OnWritten({}, 0);
    AllowPiece();
    boost::asio::async_write(stream_, boost::beast::http::make_chunk_last(),
                             Then(&AnswerWriter::OnWritten));
  }

  // Half an answer must not pass for one.
  void BreakOff() { OnWritten(boost::asio::error::operation_aborted, 0); }

  // Nothing of it is being written any more, and the connection may be idle for long.
  void OnWritten(ErrorCode error, std::size_t /*bytes*/) {
    is_writing_ = false;
    auto note = std::exchange(written_note_, nullptr);
    pieces_ = nullptr;
    source_ = nullptr;
    outgoing_.Set(0);
    head_writer_.reset();
    whole_.reset();
    head_.reset();
    piece_ = {};
    written_ = {};
    if (!error && note) std::move(note)();
    owner_.OnAnswered(error, form_.keeps_alive);
  }

  Owner& owner_;
  Stream& stream_;
  const HttpConnection::World& world_;
  bool is_writing_ = false;
  Form form_;
  // By the world's clock.
  Duration until_{};
  absl::AnyInvocable<void() &&> written_note_;
  HeldBytes outgoing_{world_.held.outgoing};
  std::optional<boost::beast::http::response<boost::beast::http::string_body>> whole_;
  // Of what comes in pieces.
  std::optional<boost::beast::http::response<boost::beast::http::empty_body>> head_;
  std::optional<boost::beast::http::response_serializer<boost::beast::http::empty_body>>
      head_writer_;
  bool is_chunked_ = false;
  HttpPieces pieces_;
  HttpSource source_;
  // To be written next; being written.
  std::string piece_;
  std::string written_;
};

}  // namespace wharf
