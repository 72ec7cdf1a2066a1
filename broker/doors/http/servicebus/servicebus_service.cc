#include "broker/doors/http/servicebus/servicebus_service.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include <absl/strings/escaping.h>
#include <spdlog/spdlog.h>

#include "broker/doors/http/servicebus/asked_resource.h"
#include "broker/doors/http/servicebus/error_answer.h"
#include "broker/doors/http/servicebus/fail.h"
#include "broker/doors/http/servicebus/live_call.h"
#include "broker/doors/http/web_socket_request.h"
#include "storage/base/log_fields.h"

namespace wharf {

namespace {

// A page in a browser has none, and cannot send one elsewhere without asking before.
Status KeyMissing() {
  return {ErrorCode::kUnauthorized,
          "the emulator takes any key, but the request has no Authorization"};
}

bool HasBody(const HttpRequest& head) {
  const std::string* const length = FindField(head.fields, "Content-Length");
  return (length != nullptr && *length != "0") ||
         FindField(head.fields, "Transfer-Encoding") != nullptr;
}

// An entity wins over what its path looks like, and so does one that is to be made.
std::optional<DataRoute> RouteOf(LiveCall& call, bool has_body) {
  const ServiceBusRequest& request = call.request();
  auto route = DataRouteOf(request.method, request.target.path);
  if (!route || request.method == "POST") return route;
  const bool makes_one = has_body && !route->no_token.empty();
  if (makes_one || call.IsAtEntity()) return std::nullopt;
  return route;
}

// What was refused before it was known what is asked, and of which entity.
void LogRefusal(unsigned status, std::string_view why, const TrackingId& tracking_id) {
  if (!spdlog::should_log(spdlog::level::debug)) return;
  const std::string id = ToString(tracking_id);
  const LogFields about_it({{"tracking_id", id}});
  spdlog::debug("a request of HTTP is refused with {}: {} (tracking id {})", status,
                absl::CHexEscape(std::string(why)), id);
}

}  // namespace

std::string_view NameOfHttpKind(std::size_t kind) {
  if (kind < kDataVerbs) return NameOf(static_cast<DataVerb>(kind));
  return kind == kHttpManagement ? "management" : "refused";
}

HttpService::Begun ServiceBusService::Begin(HttpRequest head) {
  Result<Target> target = ParseTarget(head.path, head.query);
  if (!target.ok()) return {.refused = Refusal(400, target.status().message())};
  if (const auto wish = WebSocketWishOf(head, target->path)) return BeginWebSocket(*wish, head);
  const bool asks_health = head.method == "GET" && head.path == "/health";
  const bool lacks_key = world_.emulator_health != nullptr && head.authorization.empty();
  const bool has_body = HasBody(head);
  const auto call =
      std::make_shared<LiveCall>(world_.gate, world_.counts, std::move(head), *std::move(target));
  const auto route = RouteOf(*call, has_body);
  const ServiceBusRequest& request = call->request();
  call->Mean({.kind = route ? static_cast<std::size_t>(route->verb) : kHttpManagement,
              .resource = AskedResource(route, request.target.path),
              .right = RightBeforeBody(route, request.method)});
  ServiceBusHandler* const handler = route ? world_.messages : world_.entities;
  const ErrorPlane plane = route ? ErrorPlane::kMessages : ErrorPlane::kManagement;
  if (const Status foreign = call->CheckHost(hosts_); !foreign.ok()) {
    return {.refused = Refusal(403, foreign.message())};
  }
  if (asks_health && lacks_key) return {.refused = EmulatorHealth()};
  const Status refused = lacks_key ? KeyMissing() : call->Admit();
  if (!refused.ok()) {
    HttpResponse response = ErrorFor(*call, refused, plane);
    world_.counts.Note(kHttpRefused, response.status);
    return {.refused = std::move(response)};
  }
  if (handler == nullptr) return {.refused = Refusal(404, "there is no such operation")};
  return {.go_on = [call, handler](std::string body, HttpReplyPtr reply) {
    call->Begin(std::move(body), std::move(reply));
    handler->Handle(call);
  }};
}

// In the words of the emulator of Service Bus.
HttpResponse ServiceBusService::EmulatorHealth() const {
  const bool is_well = world_.emulator_health->is_well();
  HttpResponse response{.status = is_well ? 200U : 503U, .type = "application/json"};
  response.body = is_well ? R"({"status":"healthy","message":"Service is healthy."})"
                          : R"({"status":"unhealthy","message":"Service is unhealthy."})";
  world_.counts.Note(kHttpManagement, response.status);
  return response;
}

// Who it is proves itself inside, by SASL or to $cbs.
HttpService::Begun ServiceBusService::BeginWebSocket(const WebSocketWish& wish,
                                                     const HttpRequest& head) {
  if (auto refused = RefuseWebSocket(wish, head)) return {.refused = *std::move(refused)};
  std::unique_ptr<ClientTaker::Room> room = world_.amqp->Reserve();
  if (room == nullptr) {
    return {.refused =
                Refusal({ErrorCode::kServiceBusy, "no more connections of AMQP may be open"})};
  }
  auto take = [room = std::move(room), peer = head.peer,
               subject = head.subject](HandedStream stream) mutable {
    room->Take({std::move(peer), std::move(subject), std::move(stream)});
  };
  return {.upgrade = Upgrade{wish.protocol, std::move(take)}};
}

// A browser opens a WebSocket for any page, and brings a certificate for it: where no more than
// that is needed, pages of others are refused.
std::optional<HttpResponse> ServiceBusService::RefuseWebSocket(const WebSocketWish& wish,
                                                               const HttpRequest& head) {
  const CallGate::Ticket ticket = world_.gate.Enter(head.cut_off);
  if (ticket.guard() == nullptr || !head.subject.empty()) {
    const std::string_view host = head.host.empty() ? std::string_view("localhost") : head.host;
    const Status foreign = hosts_.Check(host, head.origin, head.scheme);
    if (!foreign.ok()) return Refusal(403, foreign.message());
  }
  if (wish.refusal != 0) {
    HttpResponse response = Refusal(wish.refusal, wish.why);
    if (wish.refusal == 426)
      response.fields.emplace_back("Sec-WebSocket-Version", kWebSocketVersion);
    return response;
  }
  if (world_.amqp == nullptr) return Refusal(404, "there are no WebSockets here");
  if (!ticket.is_valid()) {
    return Refusal(ticket.guard() == nullptr ? ticket.refusal() : ticket.refusal_of_strangers());
  }
  return std::nullopt;
}

HttpResponse ServiceBusService::Refusal(const Status& why) {
  const TrackingId tracking_id = NewTrackingId();
  HttpResponse response = ErrorAnswer(why, {.tracking_id = tracking_id, .at = WallNow()});
  LogRefusal(response.status, why.message(), tracking_id);
  world_.counts.Note(kHttpRefused, response.status);
  return response;
}

HttpResponse ServiceBusService::Refusal(unsigned status, std::string_view why) {
  const TrackingId tracking_id = NewTrackingId();
  LogRefusal(status, why, tracking_id);
  world_.counts.Note(kHttpRefused, status);
  return ErrorAnswer(status, why, {.tracking_id = tracking_id, .at = WallNow()});
}

}  // namespace wharf
