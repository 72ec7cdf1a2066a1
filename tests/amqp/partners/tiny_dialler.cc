#include "tests/amqp/partners/tiny_dialler.h"

#include <utility>

namespace wharf::amqp {
namespace {

EndpointOptions Options() {
  EndpointOptions options;
  options.side = Side::kDials;
  options.has_sasl = true;
  options.open.container_id = "dialler";
  options.open.hostname = "localhost";
  options.open.channel_max = 9;
  options.open.max_frame_size = 4096;
  return options;
}

// A message of one data section.
std::string Message(std::string_view body) {
  std::string message;
  Writer writer(message);
  writer.BeginDescribed(descriptor::kData);
  writer.WriteBinary(body);
  return message;
}

}  // namespace

TinyDialler::TinyDialler(std::string address, int messages, Connection::Instant now)
    : address_(std::move(address)), messages_(messages), endpoint_(Options(), now) {}

void TinyDialler::Work() {
  while (std::optional<Event> event = endpoint_.Next()) On(*event);
  Send();
  if (has_succeeded()) endpoint_.SendClose();
}

void TinyDialler::On(Event& event) {
  if (std::holds_alternative<SaslOffered>(event)) {
    SaslInit init;
    init.mechanism.text = "ANONYMOUS";
    init.initial_response = Binary{"dialler"};
    endpoint_.sasl().SendInit(std::move(init));
  } else if (const auto* const finished = std::get_if<SaslFinished>(&event)) {
    if (finished->outcome.code == SaslCode::kOk) endpoint_.SendOpen();
  } else if (std::holds_alternative<Opened>(event)) {
    endpoint_.OpenSession();
  } else if (const auto* const begun = std::get_if<Begun>(&event)) {
    Attach(*endpoint_.FindSession(begun->session));
  } else if (const auto* const disposed = std::get_if<Disposed>(&event)) {
    accepted_ += static_cast<int>(disposed->deliveries.size());
  } else if (const auto* const part = std::get_if<Delivered>(&event);
             part != nullptr && part->is_last) {
    ++received_;
    endpoint_.FindLink(part->link)->Settle(part->delivery, Accepted());
  } else if (std::holds_alternative<Closed>(event)) {
    endpoint_.SendClose();
  }
}

void TinyDialler::Attach(Session& session) {
  amqp::Attach sends;
  sends.name = "sends";
  sends.role = Role::kSender;
  sends.source.emplace();
  Target target;
  target.address = address_;
  sends.target = target;
  sender_ = session.OpenLink(std::move(sends))->id();
  amqp::Attach receives;
  receives.name = "receives";
  receives.role = Role::kReceiver;
  receives.source.emplace().address = address_;
  receives.target = Target();
  session.OpenLink(std::move(receives))->SetCredit(static_cast<std::uint32_t>(messages_));
}

void TinyDialler::Send() {
  Link* const link = endpoint_.FindLink(sender_);
  if (link == nullptr) return;
  while (sent_ < messages_) {
    const OutgoingDelivery delivery{.tag = {std::to_string(sent_)}};
    if (!link->Send(delivery, Message("message " + std::to_string(sent_))).is_done) return;
    ++sent_;
  }
}

}  // namespace wharf::amqp
