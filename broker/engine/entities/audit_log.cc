#include "broker/engine/entities/audit_log.h"

#include <utility>

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "storage/base/log_fields.h"

namespace wharf {
namespace {

// ", by the rule orders#shop from ipv4:127.0.0.1:5000 (tracking id ..., trace ...)"; nothing for
// the broker itself.
std::string ByWhom(const AuditLog::Author& author) {
  if (author.client.empty()) return "";
  const std::string rule = author.rule.empty() ? "" : "the rule " + author.rule + " from ";
  const std::string trace = author.trace_id.empty() ? "" : ", trace " + author.trace_id;
  return fmt::format(", by {}{} (tracking id {}{})", rule, author.client, author.tracking_id,
                     trace);
}

}  // namespace

AuditLog::Author AuditLog::AuthorOf(const Caller& caller) {
  return {.rule = caller.permit == nullptr ? "" : caller.permit->ShownOwner(),
          .client = caller.peer,
          .tracking_id = ToString(caller.tracking_id),
          .trace_id = ToString(caller.trace_id)};
}

void AuditLog::Note(const Author& author, std::string entity, std::string done, Turn& turn) {
  turn.OnCommitted([this, line = Line{author, std::move(entity), std::move(done)}, now = turn.now](
                       const Status& committed, Tellings&) {
    if (committed.ok()) Write(now, line);
  });
}

void AuditLog::Write(Timestamp now, const Line& line) {
  if (now - minute_ >= std::chrono::minutes(1)) BeginMinute(now);
  ++lines_;
  if (lines_ == kLinesPerMinute + 1) {
    spdlog::info(
        "{} changes of entities, their rules and rules of access were made in a minute: what "
        "follows in it is told at the level debug only",
        kLinesPerMinute);
  }
  const LogFields about({{"entity", line.entity},
                         {"client", line.author.client},
                         {"rule", line.author.rule},
                         {"tracking_id", line.author.tracking_id},
                         {"trace_id", line.author.trace_id}});
  const auto level = lines_ <= kLinesPerMinute ? spdlog::level::info : spdlog::level::debug;
  spdlog::log(level, "{}{}", line.done, ByWhom(line.author));
}

void AuditLog::BeginMinute(Timestamp now) {
  if (lines_ > kLinesPerMinute) {
    spdlog::info("{} changes more were told at the level debug only", lines_ - kLinesPerMinute);
  }
  minute_ = now;
  lines_ = 0;
}

}  // namespace wharf
