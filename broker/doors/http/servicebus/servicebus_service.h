// ServiceBusService: what listeners of Service Bus over HTTP answer: who asks is proven before
// anything of a body is read, and then the route says who answers.
//
//   what WebSocketWishOf knows     the door of AMQP, which has the connection from then on
//   what DataRouteOf knows         the handler of messages
//   everything else                the handler of entities
//
// A path is always one of an address, however it looks: an entity called "health" is found as any
// other. Who may not ask hears 401, whatever there is. Where it stands in for the emulator of
// Service Bus any key is good, but there must be one; GET /health without one is the emulator's
// own. Made by the ServiceBusDoor; any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "broker/doors/common/call_gate.h"
#include "broker/doors/common/client_taker.h"
#include "broker/doors/common/health.h"
#include "broker/doors/http/host_check.h"
#include "broker/doors/http/http_service.h"
#include "broker/doors/http/servicebus/call.h"
#include "broker/doors/http/servicebus/data_route.h"
#include "broker/doors/http/servicebus/http_counts.h"
#include "broker/doors/http/servicebus/web_socket_wish.h"

namespace wharf {

// The kinds of requests that are counted: those of DataVerb, of entities, and what found no handler
// because it was refused before.
inline constexpr std::size_t kHttpManagement = kDataVerbs;
inline constexpr std::size_t kHttpRefused = kDataVerbs + 1;
inline constexpr std::size_t kHttpKinds = kDataVerbs + 2;
std::string_view NameOfHttpKind(std::size_t kind);

class ServiceBusService final : public HttpService {
 public:
  // Outlive it. A null handler: what it would answer is not there.
  struct World {
    CallGate& gate;
    HttpCounts& counts;
    ServiceBusHandler* messages = nullptr;
    ServiceBusHandler* entities = nullptr;
    // Null: there are no WebSockets.
    ClientTaker* amqp = nullptr;
    // What the emulator tells of; null: this is none.
    const Health* emulator_health = nullptr;
  };

  ServiceBusService(const World& world, HostCheck hosts)
      : world_(world), hosts_(std::move(hosts)) {}

  Begun Begin(HttpRequest head) override;
  HttpResponse Refusal(unsigned status, std::string_view why) override;

 private:
  HttpResponse EmulatorHealth() const;
  Begun BeginWebSocket(const WebSocketWish& wish, const HttpRequest& head);
  // Nothing: it may become one, if there is room.
  std::optional<HttpResponse> RefuseWebSocket(const WebSocketWish& wish, const HttpRequest& head);
  HttpResponse Refusal(const Status& why);

  const World world_;
  const HostCheck hosts_;
};

}  // namespace wharf
