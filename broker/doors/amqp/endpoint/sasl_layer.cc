#include "broker/doors/amqp/endpoint/sasl_layer.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace wharf::amqp {

void SaslLayer::Begin() {
  if (!accepts()) return;
  SaslMechanisms mechanisms;
  mechanisms.sasl_server_mechanisms = shared_.options.mechanisms;
  shared_.out.WriteSasl(mechanisms);
  state_ = State::kOffered;
}

std::string SaslLayer::OnFrame(std::string_view body) {
  Reader reader(body, shared_.options.limits.decode);
  SaslFrame frame;
  Read(reader, frame);
  if (!reader.ok()) return reader.error();
  if (!reader.at_end()) return "bytes behind a frame of SASL";
  const bool has_place = std::visit([this](auto& one) { return Take(one); }, frame);
  return has_place ? std::string() : "a frame of SASL that has no place here";
}

bool SaslLayer::Take(SaslMechanisms& frame) {
  if (accepts() || state_ != State::kBegins) return false;
  state_ = State::kOurTurn;
  shared_.Tell(SaslOffered{std::move(frame.sasl_server_mechanisms)});
  return true;
}

bool SaslLayer::Take(SaslInit& frame) {
  if (!accepts() || state_ != State::kOffered) return false;
  state_ = State::kOurTurn;
  const auto& offered = shared_.options.mechanisms;
  if (std::find(offered.begin(), offered.end(), frame.mechanism) == offered.end()) {
    SendOutcome(SaslCode::kAuth, std::nullopt);
  } else {
    shared_.Tell(SaslBegun{std::move(frame)});
  }
  return true;
}

bool SaslLayer::Take(SaslChallenge& frame) {
  if (accepts() || state_ != State::kTheirTurn) return false;
  state_ = State::kOurTurn;
  shared_.Tell(SaslChallenged{std::move(frame.challenge.bytes)});
  return true;
}

bool SaslLayer::Take(SaslResponse& frame) {
  if (!accepts() || state_ != State::kTheirTurn) return false;
  state_ = State::kOurTurn;
  shared_.Tell(SaslResponded{std::move(frame.response.bytes)});
  return true;
}

bool SaslLayer::Take(SaslOutcome& frame) {
  if (accepts() || state_ != State::kTheirTurn) return false;
  state_ = State::kOver;
  code_ = frame.code;
  shared_.Tell(SaslFinished{std::move(frame)});
  return true;
}

void SaslLayer::SendInit(SaslInit init) {
  if (accepts() || state_ != State::kOurTurn) return;
  state_ = State::kTheirTurn;
  shared_.out.WriteSasl(init);
}

void SaslLayer::SendChallenge(std::string challenge) {
  if (!accepts() || state_ != State::kOurTurn) return;
  state_ = State::kTheirTurn;
  SaslChallenge frame;
  frame.challenge.bytes = std::move(challenge);
  shared_.out.WriteSasl(frame);
}

void SaslLayer::SendResponse(std::string response) {
  if (accepts() || state_ != State::kOurTurn) return;
  state_ = State::kTheirTurn;
  SaslResponse frame;
  frame.response.bytes = std::move(response);
  shared_.out.WriteSasl(frame);
}

void SaslLayer::SendOutcome(SaslCode code, std::optional<std::string> data) {
  if (!accepts() || state_ != State::kOurTurn) return;
  state_ = State::kOver;
  code_ = code;
  SaslOutcome frame;
  frame.code = code;
  if (data.has_value()) frame.additional_data = Binary{std::move(*data)};
  shared_.out.WriteSasl(frame);
}

}  // namespace wharf::amqp
