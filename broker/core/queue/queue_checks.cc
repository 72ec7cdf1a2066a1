// What a transaction asks before it changes anything, and how it sends. Checks that the plain
// requests share stand beside those.

#include "broker/core/queue/queue.h"

namespace wharf {

Status Queue::CheckSends(const std::vector<Message>& messages, std::int64_t bytes_more,
                         Timestamp now) const {
  WHARF_RETURN_IF_ERROR(CheckSend());
  for (const Message& message : messages) {
    WHARF_RETURN_IF_ERROR(CheckOne(message, now));
    WHARF_RETURN_IF_ERROR(quota_.CheckRoom(bytes_more));
    bytes_more += SizeOf(message);
  }
  return {};
}

std::vector<SendOutcome> Queue::AcceptAll(std::vector<Message> messages, KnownIds& known,
                                          Timestamp now, Changes& changes) {
  lanes_.main().NoteAccess(now);
  std::vector<SendOutcome> outcomes;
  outcomes.reserve(messages.size());
  for (Message& message : messages) {
    outcomes.push_back(Accept(std::move(message), std::nullopt, known, now, changes));
  }
  placement_.PassTurn();
  return outcomes;
}

}  // namespace wharf
