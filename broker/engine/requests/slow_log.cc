#include "broker/engine/requests/slow_log.h"

#include <algorithm>

#include <absl/strings/escaping.h>
#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "storage/base/duration_text.h"
#include "storage/base/log_fields.h"

namespace wharf {
namespace {

std::string TextOf(Duration duration) {
  return RoundedDuration(std::chrono::duration<double>(duration).count());
}

}  // namespace

// What is read first, and goes on in later turns, is told with those: its first turn is what is
// known.
std::string SlowLog::PartsOf(const Trace& trace, Duration answered) {
  const Duration appended = std::clamp(trace.turn->appended, trace.planned, answered);
  const Duration committed = std::clamp(trace.turn->committed, appended, answered);
  return fmt::format("{}: waited {} for its turn, planned in {}, synced in {}, told in {}",
                     TextOf(answered - trace.asked), TextOf(trace.planned - trace.asked),
                     TextOf(appended - trace.planned), TextOf(committed - appended),
                     TextOf(answered - committed));
}

void SlowLog::Note(const Trace& trace, Duration answered) {
  if (answered - trace.asked < trace.slow) return;
  const auto unsaid = limit_.Admit();
  if (!unsaid) return;
  const std::string tracking_id = ToString(trace.tracking_id);
  const LogFields about(
      {{"entity", trace.entity}, {"client", trace.client}, {"tracking_id", tracking_id}});
  const std::string entity =
      trace.entity.empty() ? "" : fmt::format(" on '{}'", absl::CHexEscape(trace.entity));
  spdlog::warn("a {}{} from {} took {} (tracking id {}){}", trace.request, entity, trace.client,
               PartsOf(trace, answered), tracking_id, Unsaid(*unsaid));
}

}  // namespace wharf
