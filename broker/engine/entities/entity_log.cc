#include "broker/engine/entities/entity_log.h"

#include <utility>

#include <fmt/core.h>
#include <spdlog/spdlog.h>

namespace wharf {

void EntityLog::Note(EntityKind kind, std::string name, std::string_view done, Turn& turn) {
  turn.OnCommitted([this, kind, name = std::move(name), done, now = turn.now](
                       const Status& committed, Tellings&) {
    if (committed.ok()) Write(now, fmt::format("the {} '{}' {}", NameOf(kind), name, done));
  });
}

void EntityLog::Write(Timestamp now, const std::string& line) {
  if (now - minute_ >= std::chrono::minutes(1)) {
    minute_ = now;
    lines_ = 0;
  }
  ++lines_;
  if (lines_ <= kLinesPerMinute) return spdlog::info("{}", line);
  if (lines_ == kLinesPerMinute + 1) {
    spdlog::info(
        "{} entities were made, changed, deleted or purged in a minute: what follows in it "
        "is told at the level debug only",
        kLinesPerMinute);
  }
  spdlog::debug("{}", line);
}

}  // namespace wharf
