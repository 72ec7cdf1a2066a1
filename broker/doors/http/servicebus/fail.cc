#include "broker/doors/http/servicebus/fail.h"

#include <chrono>
#include <string>

#include <absl/strings/escaping.h>
#include <spdlog/spdlog.h>

#include "broker/core/messages/text.h"
#include "storage/base/log_fields.h"

namespace wharf {
namespace {

constexpr std::size_t kLoggedPathBytesMax = 400;

void LogFailure(const ServiceBusRequest& request, const Status& status,
                const std::string& tracking_id) {
  if (!spdlog::should_log(spdlog::level::debug)) return;
  const std::string path = absl::CHexEscape(Shortened(request.target.path, kLoggedPathBytesMax));
  const LogFields about_it(
      {{"entity", path}, {"client", request.caller.peer}, {"tracking_id", tracking_id}});
  spdlog::debug("a {} from {} fails: {} (tracking id {})", absl::CHexEscape(request.method),
                request.caller.peer, absl::CHexEscape(status.ToString()), tracking_id);
}

}  // namespace

Timestamp WallNow() {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

HttpResponse ErrorFor(ServiceBusCall& call, const Status& status, ErrorPlane plane) {
  const ServiceBusRequest& request = call.request();
  LogFailure(request, status, ToString(request.caller.tracking_id));
  return ErrorAnswer(status, {.plane = plane,
                              .entity = request.target.path,
                              .tracking_id = request.caller.tracking_id,
                              .at = WallNow()});
}

}  // namespace wharf
