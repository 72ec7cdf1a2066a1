#include "broker/daemon/listening/amqp_listening.h"

#include <algorithm>
#include <string>

#include "broker/config/listen_address.h"

namespace wharf {

std::unique_ptr<amqp::AmqpDoor> MakeAmqpDoor(const config::Settings& settings) {
  const auto has_amqp = [](const std::string& text) {
    const Result<ListenAddress> address = ParseListenAddress(text);
    return address.ok() &&
           (address->kind == ListenerKind::kAmqp || address->kind == ListenerKind::kServiceBus);
  };
  if (std::none_of(settings.listen.begin(), settings.listen.end(), has_amqp)) return nullptr;
  auto door = std::make_unique<amqp::AmqpDoor>(
      amqp::AmqpDoor::Options{.connections_max = settings.connections_max,
                              .version = WHARF_VERSION,
                              .serves_jms = settings.jms});
  door->SetLinkIdleMax(settings.amqp_link_idle_time);
  return door;
}

}  // namespace wharf
