#include "tests/amqp/endpoint/frame_text.h"

#include "broker/doors/amqp/codec/value_text.h"
#include "broker/doors/amqp/endpoint/protocol_header.h"
#include "broker/doors/amqp/types/composites.h"

namespace wharf::amqp {
namespace {

template <typename Body>
std::string TextOfBody(std::string_view bytes) {
  Reader reader(bytes);
  Body body;
  Read(reader, body);
  if (!reader.ok()) return "broken: " + reader.error();
  std::string text = std::visit([](const auto& one) { return TextOf(one); }, body);
  if (!reader.at_end()) text += " b'" + HexOf(reader.rest()) + "'";
  return text;
}

std::string TextOfFrame(const Frame& frame) {
  if (frame.type == kSaslFrame) return "sasl " + TextOfBody<amqp::SaslFrame>(frame.body);
  if (frame.body.empty()) return "empty";
  return std::to_string(frame.channel) + " " + TextOfBody<Performative>(frame.body);
}

}  // namespace

bool FrameText::ReadHeader(std::vector<std::string>& lines) {
  const std::string_view bytes = reader_.rest().substr(0, kHeaderBytes);
  const std::optional<Protocol> protocol = ProtocolOf(bytes);
  if (!protocol.has_value()) return false;
  lines.push_back(*protocol == Protocol::kAmqp ? "header amqp" : "header sasl");
  reader_.Consume(kHeaderBytes);
  return true;
}

std::vector<std::string> FrameText::Read(std::string_view bytes) {
  std::vector<std::string> lines;
  reader_.Feed(bytes);
  while (true) {
    if (ReadHeader(lines)) continue;
    const std::optional<Frame> frame = reader_.Next(1 << 24);
    if (!frame.has_value()) return lines;
    lines.push_back(TextOfFrame(*frame));
  }
}

}  // namespace wharf::amqp
