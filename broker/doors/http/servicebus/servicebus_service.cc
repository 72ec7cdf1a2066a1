#include "broker/doors/http/servicebus/servicebus_service.h"

#include <chrono>
#include <utility>

#include "broker/doors/http/servicebus/asked_resource.h"
#include "broker/doors/http/servicebus/error_answer.h"
#include "broker/doors/http/servicebus/fail.h"
#include "broker/doors/http/servicebus/live_call.h"

namespace wharf {

std::string_view NameOfHttpKind(std::size_t kind) {
  if (kind < kDataVerbs) return NameOf(static_cast<DataVerb>(kind));
  return kind == kHttpManagement ? "management" : "refused";
}

HttpService::Begun ServiceBusService::Begin(HttpRequest head) {
  Result<Target> target = ParseTarget(head.path, head.query);
  if (!target.ok()) return {.refused = Refusal(400, target.status().message())};
  const auto route = DataRouteOf(head.method, target->path);
  std::string asked = AskedResource(route, target->path);
  const std::size_t kind = route ? static_cast<std::size_t>(route->verb) : kHttpManagement;
  ServiceBusHandler* const handler = route ? world_.messages : world_.entities;
  const ErrorPlane plane = route ? ErrorPlane::kMessages : ErrorPlane::kManagement;
  const auto call = std::make_shared<LiveCall>(world_.gate, world_.counts, kind, std::move(head),
                                               *std::move(target), std::move(asked));
  if (const Status foreign = call->CheckHost(hosts_); !foreign.ok()) {
    return {.refused = Refusal(403, foreign.message())};
  }
  if (const Status refused = call->Admit(); !refused.ok()) {
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

HttpResponse ServiceBusService::Refusal(unsigned status, std::string_view why) {
  world_.counts.Note(kHttpRefused, status);
  return ErrorAnswer(status, why, {.tracking_id = NewTrackingId(), .at = WallNow()});
}

}  // namespace wharf
