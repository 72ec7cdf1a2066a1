#include "tests/amqp/partners/tiny_broker.h"

#include <utility>

namespace wharf::amqp {
namespace {

std::string AddressOf(const Attach& attach, Role own) {
  if (own == Role::kSender) {
    return attach.source.has_value() ? attach.source->address.value_or("") : "";
  }
  const auto* const target =
      attach.target.has_value() ? std::get_if<Target>(&*attach.target) : nullptr;
  return target == nullptr ? "" : target->address.value_or("");
}

}  // namespace

EndpointOptions TinyBroker::Options() {
  EndpointOptions options;
  options.has_sasl = true;
  options.mechanisms = {Symbol{"ANONYMOUS"}};
  options.open.container_id = "tiny";
  options.open.max_frame_size = 16384;
  options.open.channel_max = 99;
  options.open.idle_time_out = 30'000;
  options.limits.incoming_window = 50;
  return options;
}

TinyBroker::TinyBroker(TinyQueues& queues, EndpointOptions options, Connection::Instant now)
    : endpoint_(std::move(options), now), links_(queues, endpoint_) {}

void TinyBroker::Work() {
  while (std::optional<Event> event = endpoint_.Next()) On(*event);
  links_.Send();
}

void TinyBroker::On(Event& event) {
  if (std::holds_alternative<SaslBegun>(event)) {
    endpoint_.sasl().SendOutcome(SaslCode::kOk, std::nullopt);
  } else if (std::holds_alternative<Opened>(event)) {
    endpoint_.SendOpen();
  } else if (std::holds_alternative<Closed>(event)) {
    endpoint_.SendClose();
  } else if (const auto* const begun = std::get_if<Begun>(&event)) {
    endpoint_.FindSession(begun->session)->SendBegin();
  } else if (const auto* const ended = std::get_if<Ended>(&event)) {
    if (Session* const session = endpoint_.FindSession(ended->session)) session->SendEnd();
  } else if (const auto* const attached = std::get_if<Attached>(&event)) {
    const Role own = endpoint_.FindLink(attached->link)->role();
    links_.Attach(attached->link, attached->attach, AddressOf(attached->attach, own));
  } else if (const auto* const detached = std::get_if<Detached>(&event)) {
    links_.Forget(detached->link);
    if (Link* const link = endpoint_.FindLink(detached->link)) link->SendDetach(detached->closed);
  } else {
    links_.On(event);
  }
}

}  // namespace wharf::amqp
