#include "broker/doors/http/servicebus/fail.h"

#include <chrono>
#include <string>

#include <absl/strings/escaping.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "broker/core/messages/text.h"
#include "storage/base/log_fields.h"

namespace wharf {
namespace {

constexpr std::size_t kLoggedPathBytesMax = 400;

void LogFailure(const ServiceBusRequest& request, const std::string& why) {
  if (!spdlog::should_log(spdlog::level::debug)) return;
  const std::string tracking_id = ToString(request.caller.tracking_id);
  const std::string path = absl::CHexEscape(Shortened(request.target.path, kLoggedPathBytesMax));
  const LogFields about_it(
      {{"entity", path}, {"client", request.caller.peer}, {"tracking_id", tracking_id}});
  spdlog::debug("a {} from {} fails: {} (tracking id {})", absl::CHexEscape(request.method),
                request.caller.peer, absl::CHexEscape(why), tracking_id);
}

AboutHttpError AboutErrorOf(const ServiceBusRequest& request, ErrorPlane plane) {
  return {.plane = plane,
          .entity = request.target.path,
          .tracking_id = request.caller.tracking_id,
          .at = WallNow()};
}

}  // namespace

Timestamp WallNow() {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

HttpResponse ErrorFor(ServiceBusCall& call, const Status& status, ErrorPlane plane) {
  LogFailure(call.request(), status.ToString());
  return ErrorAnswer(status, AboutErrorOf(call.request(), plane));
}

HttpResponse ErrorFor(ServiceBusCall& call, unsigned status, std::string_view why,
                      ErrorPlane plane) {
  LogFailure(call.request(), fmt::format("{}: {}", status, why));
  return ErrorAnswer(status, why, AboutErrorOf(call.request(), plane));
}

}  // namespace wharf
