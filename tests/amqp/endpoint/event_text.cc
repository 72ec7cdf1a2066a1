#include "tests/amqp/endpoint/event_text.h"

#include <fmt/format.h>

#include "broker/doors/amqp/codec/value_text.h"

namespace wharf::amqp {
namespace {

std::string Because(const std::optional<Error>& error, bool is_ours) {
  std::string text = is_ours ? " by us" : "";
  if (!error.has_value()) return text;
  return text + " " + error->condition.text + ": " + error->description.value_or("");
}

std::string Flags(const Delivered& part) {
  std::string text;
  if (part.is_first) text += " first";
  if (part.is_last) text += " last";
  if (part.is_settled) text += " settled";
  if (part.is_aborted) text += " aborted";
  if (part.is_too_large) text += " too-large";
  return text;
}

// The low half: as on the wire.
std::uint32_t Low(DeliveryId delivery) { return static_cast<std::uint32_t>(delivery.value()); }

struct EventText {
  std::string operator()(const SaslOffered& event) const {
    return fmt::format("sasl offered {}", event.mechanisms.size());
  }
  std::string operator()(const SaslBegun& event) const {
    return "sasl begun " + TextOf(event.init);
  }
  std::string operator()(const SaslChallenged& event) const {
    return "sasl challenged " + event.challenge;
  }
  std::string operator()(const SaslResponded& event) const {
    return "sasl responded " + event.response;
  }
  std::string operator()(const SaslFinished& event) const {
    return "sasl finished " + TextOf(event.outcome);
  }
  std::string operator()(const Opened& event) const { return "opened " + event.open.container_id; }
  std::string operator()(const Closed& event) const {
    return "closed" + Because(event.error, event.is_ours);
  }
  std::string operator()(const Begun& event) const {
    return event.is_answer ? "begun in answer" : "begun";
  }
  std::string operator()(const Ended& event) const {
    return "ended" + Because(event.error, event.is_ours);
  }
  std::string operator()(const Attached& event) const {
    return fmt::format("attached {}{}", event.attach.name, event.is_answer ? " in answer" : "");
  }
  std::string operator()(const Detached& event) const {
    return std::string("detached") + (event.closed ? "" : " for now") +
           Because(event.error, event.is_ours);
  }
  std::string operator()(const CreditGiven& event) const {
    return fmt::format("credit {}{}", event.credit, event.drain ? " drain" : "");
  }
  std::string operator()(const SenderTold& event) const {
    return event.is_drained ? "drained" : "sender told";
  }
  std::string operator()(const Delivered& event) const {
    return fmt::format("delivered {}{} '{}'", Low(event.delivery), Flags(event), event.payload);
  }
  std::string operator()(const Disposed& event) const {
    std::string text = "disposed";
    for (const DeliveryRef& ref : event.deliveries) text += fmt::format(" {}", Low(ref.delivery));
    if (event.is_settled) text += " settled";
    if (event.state.has_value()) text += " " + TextOf(*event.state);
    return text;
  }
  std::string operator()(const Missed& event) const { return "missed " + TextOf(event.state); }
  std::string operator()(const MayWrite&) const { return "may write"; }
};

}  // namespace

std::string TextOf(const Event& event) { return std::visit(EventText(), event); }

}  // namespace wharf::amqp
