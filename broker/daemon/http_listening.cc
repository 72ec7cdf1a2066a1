#include "broker/daemon/http_listening.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "broker/config/listen_address.h"

namespace wharf {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

// A large message takes as long as its reader goes on reading.
constexpr milliseconds kAnswerMax = std::chrono::hours(1);

HttpLimits LimitsFor(const config::Settings& settings) {
  HttpLimits limits;
  limits.connections_max = settings.http_connections_max;
  limits.header_bytes_max = settings.http_head_bytes_max;
  limits.body_bytes_max = settings.http_body_bytes_max;
  limits.idle_max = duration_cast<milliseconds>(settings.http_idle_time);
  limits.head_max = duration_cast<milliseconds>(settings.http_head_time);
  limits.body_max = duration_cast<milliseconds>(settings.http_body_time);
  limits.answer_max = kAnswerMax;
  limits.requests_max = settings.http_requests_max;
  return limits;
}

}  // namespace

std::unique_ptr<ServiceBusDoor> MakeServiceBusDoor(const config::Settings& settings,
                                                   const Health& health, ClientTaker* amqp) {
  const auto is_meant = [](const std::string& text) {
    const Result<ListenAddress> address = ParseListenAddress(text);
    return address.ok() && address->kind == ListenerKind::kServiceBus;
  };
  if (std::none_of(settings.listen.begin(), settings.listen.end(), is_meant)) return nullptr;
  return std::make_unique<ServiceBusDoor>(ServiceBusDoor::Options{
      .limits = LimitsFor(settings),
      .outgoing_bytes_max = static_cast<std::int64_t>(settings.http_outgoing_bytes_max),
      .hosts = settings.http_hosts,
      .amqp = amqp,
      .emulator_health = settings.is_emulator() ? &health : nullptr});
}

}  // namespace wharf
