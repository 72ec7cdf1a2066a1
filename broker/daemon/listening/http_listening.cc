#include "broker/daemon/listening/http_listening.h"

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

// Of requests as JSON: 16 MiB of gRPC's, with their bytes as base64.
constexpr std::uint64_t kConsoleBodyBytesMax = std::uint64_t{24} << 20;

HttpLimits LimitsOfConsole(const config::Settings& settings) {
  HttpLimits limits = LimitsFor(settings);
  limits.body_bytes_max = kConsoleBodyBytesMax;
  return limits;
}

bool ListensFor(const config::Settings& settings, ListenerKind kind) {
  return std::any_of(settings.listen.begin(), settings.listen.end(),
                     [kind](const std::string& text) {
                       const Result<ListenAddress> address = ParseListenAddress(text);
                       return address.ok() && address->kind == kind;
                     });
}

}  // namespace

std::unique_ptr<ServiceBusDoor> MakeServiceBusDoor(const config::Settings& settings,
                                                   const Health& health, ClientTaker* amqp) {
  if (!ListensFor(settings, ListenerKind::kServiceBus)) return nullptr;
  return std::make_unique<ServiceBusDoor>(ServiceBusDoor::Options{
      .limits = LimitsFor(settings),
      .outgoing_bytes_max = static_cast<std::int64_t>(settings.http_outgoing_bytes_max),
      .hosts = settings.http_hosts,
      .amqp = amqp,
      .emulator_health = settings.is_emulator() ? &health : nullptr});
}

std::unique_ptr<ConsoleDoor> MakeConsoleDoor(const config::Settings& settings) {
  if (!ListensFor(settings, ListenerKind::kConsole)) return nullptr;
  return std::make_unique<ConsoleDoor>(ConsoleDoor::Options{
      .limits = LimitsOfConsole(settings),
      .outgoing_bytes_max = static_cast<std::int64_t>(settings.http_outgoing_bytes_max),
      .hosts = settings.http_hosts,
      .version = WHARF_VERSION});
}

}  // namespace wharf
