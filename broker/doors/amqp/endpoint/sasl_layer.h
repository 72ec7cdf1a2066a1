// SaslLayer: what is said before AMQP, on either side: mechanisms, init, challenges, an outcome.
//
// Decides nothing about who may come in; but a mechanism that was not offered is refused. Used by
// Connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "broker/doors/amqp/endpoint/shared.h"

namespace wharf::amqp {

class SaslLayer {
 public:
  explicit SaslLayer(Shared& shared) : shared_(shared) {}

  // The peer has said its header.
  void Begin();
  // An error of the stream is its end; one sentence.
  std::string OnFrame(std::string_view body);

  void SendInit(SaslInit init);
  void SendChallenge(std::string challenge);
  void SendResponse(std::string response);
  void SendOutcome(SaslCode code, std::optional<std::string> data);

  // Of both: only if it went well AMQP begins.
  bool has_outcome() const { return state_ == State::kOver; }
  bool is_good() const { return code_ == SaslCode::kOk; }

 private:
  enum class State : std::uint8_t { kBegins, kOffered, kOurTurn, kTheirTurn, kOver };

  bool accepts() const { return shared_.options.side == Side::kAccepts; }
  bool Take(SaslMechanisms& frame);
  bool Take(SaslInit& frame);
  bool Take(SaslChallenge& frame);
  bool Take(SaslResponse& frame);
  bool Take(SaslOutcome& frame);

  Shared& shared_;
  State state_ = State::kBegins;
  SaslCode code_ = SaslCode::kAuth;
};

}  // namespace wharf::amqp
