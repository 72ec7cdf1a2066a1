#include "broker/engine/requests/check_handler.h"

#include <utility>

#include "broker/engine/requests/reply.h"

namespace wharf {

void CheckHandler::Plan(Asked<CheckEntityRequest> asked, Turn& turn) {
  const Result<Queue*> queue = Find(asked.request.path);
  if (!queue.ok()) {
    return Reply(turn, std::move(asked.answer), Result<RecountReport>(queue.status()));
  }
  recounts_.Begin(**queue, asked.request.repairs, std::move(asked.answer), turn);
}

Result<Queue*> CheckHandler::Find(const std::string& path) const {
  WHARF_RETURN_IF_ERROR(context_.open.Check());
  if (ParseAddress(path).lane != LaneKind::kMain) {
    return Status(ErrorCode::kInvalidOperation,
                  "a dead-letter queue is checked with its entity; name that");
  }
  return context_.catalog.Find(path);
}

}  // namespace wharf
