// LargeSend: one message over 1 MiB on its way from a link to the broker, which stores its body
// while it comes (SIZ-8): what is in memory of it is what stands around the body, and a row.
//
// Begun when the length of the body is known, or that it is too long to be held; and over when its
// link says so; one that is let go of before has failed. Rows that the broker has not stored count
// for the connection, so that no more is read than the disk takes. Owned by a SendLink, on the
// strand of the connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "broker/doors/amqp/entities/links/link_world.h"
#include "broker/doors/amqp/message/body_head.h"
#include "broker/doors/amqp/message/body_walk.h"
#include "broker/requests/attachments.h"

namespace wharf::amqp {

class LargeSend {
 public:
  // A message that is so large, as far as its beginning tells.
  struct Begun {
    Message message;
    // Absent: its end tells how long it is.
    std::optional<BodyHead> body{};
    // As it is stored.
    wharf::BodyKind kind{};
    // Of the bytes before the body.
    std::size_t body_at = 0;
  };
  // Nothing: that is not known yet. An error: it is not, or does not tell its length beforehand.
  static Result<std::optional<Begun>> ReadBegin(std::string_view begin);
  // The same where so much has come that it is not held any longer: an error if it cannot be sent
  // so.
  static Result<Begun> ReadOpenBegin(std::string_view begin);
  // What it will have in memory, whatever comes.
  static std::size_t HeldBytesOf(const Begun& begun);

  // `begin`: what has come so far. Of the partial bytes of the connection it has its share already,
  // and gives it back. `answered` is called on the strand, once, if the connection is still there;
  // not when this was let go of before its end.
  using Answered = std::function<void(const Status& sent)>;
  LargeSend(const LinkWorld& world, const Caller& caller, Begun begun, std::string_view begin,
            Answered answered);
  ~LargeSend();
  LargeSend(const LargeSend&) = delete;
  LargeSend& operator=(const LargeSend&) = delete;

  void Add(std::string_view piece);
  // The message is whole, or should be.
  void End();
  bool is_answered() const { return state_->is_answered; }

 private:
  // What its answer finds, when this may be gone.
  struct State {
    // Of the connection, since its end.
    std::size_t unanswered_bytes = 0;
    bool is_answered = false;
    bool is_dropped = false;
  };
  bool is_held() const { return body_bytes_.value_or(written_bytes_) <= kHeldBodyBytesMax; }
  // What the upload has not given to the store: all of a body that is held, or the last row of one
  // whose length was not known.
  std::size_t GatheredBytes() const;
  void Write(std::string body);
  void TakeTail(std::string_view piece);
  void Fail(Status why);
  Status CheckEnd() const;
  // With what has come behind the body.
  Result<Message> Whole() const;

  OpenConnection& connection_;
  const bool serves_jms_;
  const wharf::BodyKind kind_;
  std::optional<std::string> given_id_{};
  // What stands before the body, and behind it.
  std::string head_;
  std::string tail_;
  const std::optional<std::uint64_t> body_bytes_;
  std::uint64_t written_bytes_ = 0;
  // Of a body whose length is not known.
  BodyWalk walk_;
  const std::size_t held_bytes_;
  // Nothing more of it goes to the broker.
  bool has_ended_ = false;
  // Whoever made it waits for the answer.
  bool is_waited_for_ = false;
  const std::shared_ptr<State> state_ = std::make_shared<State>();
  std::shared_ptr<UploadHandle> upload_;
};

}  // namespace wharf::amqp
