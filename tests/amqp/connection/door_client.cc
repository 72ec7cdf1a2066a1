#include "tests/amqp/connection/door_client.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "broker/doors/amqp/codec/value_text.h"
#include "broker/doors/amqp/endpoint/protocol_header.h"
#include "broker/doors/amqp/message/sections.h"

namespace wharf::amqp {
namespace {

constexpr std::uint32_t kAsker = 100;
constexpr std::uint32_t kTaker = 101;

// Of a body that is a map, as $management has it.
std::string TextOfMap(const Sections& sections) {
  if (sections.body_kind != BodyKind::kValue) return {};
  Reader reader(sections.body);
  Value body;
  reader.Read(body);
  const Described* const described = body.AsDescribed();
  if (described == nullptr || described->value.As<Map>() == nullptr) return {};
  return " " + TextOf(described->value);
}

// What is asserted stands in these sections.
std::string TextOfMessage(std::string_view message) {
  const Result<Sections> sections = SplitSections(message, {});
  if (!sections.ok()) return sections.status().message();
  return TextOf(*PropertiesOf(sections->properties, {})) + " " +
         TextOf(Value(*MapOf(sections->application_properties, {}))) + TextOfMap(*sections);
}

}  // namespace

std::string DoorClient::WithMessage(const std::string& line) {
  const std::size_t begin = line.find(" b'");
  if (begin == std::string::npos) return line;
  if (!std::exchange(has_more_, line.find("more=true") < begin)) last_payload_.clear();
  last_payload_ += absl::HexStringToBytes(line.substr(begin + 3, line.size() - begin - 4));
  return line.substr(0, begin) + (has_more_ ? "" : " " + TextOfMessage(last_payload_));
}

std::string DoorClient::Hear(std::string_view what) {
  const auto has_it = [what](const std::string& line) {
    return line.find(what) != std::string::npos;
  };
  while (true) {
    const auto found = std::find_if(lines_.begin(), lines_.end(), has_it);
    if (found != lines_.end()) {
      std::string line = *found;
      lines_.erase(found);
      return line;
    }
    const std::string bytes = wire_.hear();
    if (bytes.empty()) return {};
    for (const std::string& line : text_.Read(bytes)) lines_.push_back(WithMessage(line));
  }
}

std::vector<std::string> DoorClient::HearAll() {
  Hear("what nobody says");
  return std::exchange(lines_, {});
}

std::string DoorClient::Login(std::string mechanism, std::optional<std::string> response) {
  SayBytes(HeaderOf(Protocol::kSasl));
  SaslInit init;
  init.mechanism.text = std::move(mechanism);
  if (response.has_value()) init.initial_response = Binary{*std::move(response)};
  FrameWriter writer;
  writer.set_frame_bytes_max(1 << 20);
  writer.WriteSasl(init);
  SayBytes(writer.Take());
  return Hear("sasl-outcome");
}

std::string DoorClient::Open(std::optional<std::uint32_t> idle_time_out) {
  SayBytes(HeaderOf(Protocol::kAmqp));
  amqp::Open open;
  open.container_id = "client";
  open.max_frame_size = 65536;
  open.idle_time_out = idle_time_out;
  Say(open);
  return Hear(" open{");
}

std::string DoorClient::Begin(std::uint16_t channel) {
  amqp::Begin begin;
  begin.incoming_window = 1000;
  begin.outgoing_window = 1000;
  Say(begin, channel);
  return Hear(" begin{");
}

void DoorClient::Enter(std::string mechanism, std::optional<std::string> response) {
  Login(std::move(mechanism), std::move(response));
  Open();
  Begin();
}

void DoorClient::SayAttach(std::string name, std::uint32_t handle, Role role, std::string address,
                           std::uint16_t channel) {
  Attach attach;
  attach.name = std::move(name);
  attach.handle = handle;
  attach.role = role;
  attach.source.emplace();
  attach.target.emplace();
  if (role == Role::kSender) attach.target = TargetAt(address);
  if (role == Role::kReceiver) attach.source->address = std::move(address);
  if (role == Role::kSender) attach.initial_delivery_count = 0;
  Say(attach, channel);
}

void DoorClient::SayDetach(std::uint32_t handle) {
  Detach detach;
  detach.handle = handle;
  detach.closed = true;
  Say(detach);
}

void DoorClient::SayFlow(std::uint32_t handle, std::uint32_t credit, bool drain) {
  Flow flow;
  flow.next_incoming_id = 0;
  flow.incoming_window = 1000;
  flow.outgoing_window = 1000;
  flow.handle = handle;
  flow.delivery_count = 0;
  flow.link_credit = credit;
  flow.drain = drain;
  Say(flow);
}

void DoorClient::SayTransfer(std::uint32_t handle, std::string_view message, std::uint32_t format,
                             const std::optional<DeliveryState>& state, bool is_settled) {
  Transfer transfer;
  transfer.handle = handle;
  transfer.delivery_id = next_delivery_;
  transfer.delivery_tag = Binary{std::to_string(next_delivery_++)};
  transfer.message_format = format;
  transfer.state = state;
  transfer.settled = is_settled;
  for (bool is_done = false; !is_done;) {
    FrameWriter writer;
    writer.set_frame_bytes_max(32768);
    const std::size_t taken = writer.WriteTransfer(0, transfer, message, true);
    is_done = taken == message.size();
    message.remove_prefix(taken);
    SayBytes(writer.Take());
  }
}

void DoorClient::SayFirstPart(std::uint32_t handle, std::string_view part,
                              const std::optional<DeliveryState>& state) {
  Transfer transfer;
  transfer.handle = handle;
  transfer.delivery_id = next_delivery_;
  transfer.delivery_tag = Binary{std::to_string(next_delivery_++)};
  transfer.state = state;
  FrameWriter writer;
  writer.set_frame_bytes_max(32768);
  writer.WriteTransfer(0, transfer, part, false);
  SayBytes(writer.Take());
}

void DoorClient::AttachToCbs(std::uint32_t credit) {
  SayAttach("cbs-asks", kAsker, Role::kSender, "$cbs");
  SayAttach("cbs-1", kTaker, Role::kReceiver, "$cbs");
  if (credit > 0) SayFlow(kTaker, credit);
  Hear(" flow{");
}

std::string DoorClient::PutToken(const std::string& audience, const std::string& token,
                                 const std::string& type) {
  SayTransfer(kAsker, PutTokenMessage{audience, token, type}.Encoded());
  return Hear("status-code");
}

Target TargetAt(std::string address) {
  Target target;
  target.address = std::move(address);
  return target;
}

std::string PutTokenMessage::Encoded() const {
  std::string message;
  Writer writer(message);
  Properties properties;
  properties.message_id = message_id;
  properties.reply_to = reply_to;
  Write(writer, properties);
  Map said;
  said.Add(Value(std::string("operation")), Value(operation));
  said.Add(Value(std::string("type")), Value(type));
  said.Add(Value(std::string("name")), Value(audience));
  writer.BeginDescribed(descriptor::kApplicationProperties);
  writer.Write(said);
  writer.BeginDescribed(descriptor::kAmqpValue);
  writer.WriteString(token);
  return message;
}

}  // namespace wharf::amqp
