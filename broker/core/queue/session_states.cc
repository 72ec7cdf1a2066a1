#include "broker/core/queue/session_states.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "absl/container/flat_hash_set.h"

namespace wharf {
namespace {

// It travels in one call; a smaller limit of the entity's messages holds as well.
constexpr std::int64_t kStateBytesMax = 15 * 1024 * 1024;

std::int64_t BytesOf(const std::optional<std::string>& state) {
  return static_cast<std::int64_t>(state ? state->size() : 0);
}

}  // namespace

Status SessionStates::CheckSize(std::int64_t bytes) const {
  const QueueDescription& description = record_.description;
  const std::int64_t limit = std::min(kStateBytesMax, description.message_bytes_max());
  if (bytes <= limit) return {};
  const bool is_of_call = limit == kStateBytesMax;
  return {ErrorCode::kMessageSizeExceeded,
          fmt::format("the state of a session has {} bytes, more than the {} that {}", bytes, limit,
                      is_of_call ? std::string("one call carries")
                                 : fmt::format("'{}' takes", description.name))};
}

Status SessionStates::CheckCompleted(LaneKind kind, const Session& session,
                                     const std::vector<LockToken>& completed, Timestamp now) const {
  if (absl::flat_hash_set<LockToken>(completed.begin(), completed.end()).size() !=
      completed.size()) {
    return {ErrorCode::kArgumentError, "a lock token is named twice"};
  }
  for (const LockToken& each : completed) {
    const Lock* lock = holds_.FindLock(kind, each, now);
    const bool is_ours = lock != nullptr && lock->facts.session_id == session.id();
    if (!is_ours) {
      return {ErrorCode::kSessionLockLost,
              "one of the messages to complete is not locked in this session; nothing was changed"};
    }
  }
  return {};
}

Status SessionStates::Check(LaneKind kind, const LockToken& token,
                            const std::optional<std::string>& state,
                            std::optional<std::int64_t> bytes_read,
                            const std::vector<LockToken>& completed, std::int64_t bytes_more,
                            Timestamp now) const {
  const Result<Session*> session = holds_.FindSession(kind, token, now);
  if (!session.ok()) return session.status();
  const std::int64_t bytes = BytesOf(state);
  WHARF_RETURN_IF_ERROR(CheckSize(bytes));
  // What was read may be older than what was set since.
  const std::optional<std::int64_t> known = (*session)->state_bytes();
  const std::optional<std::int64_t> before = known ? known : bytes_read;
  if (before && bytes > *before) {
    WHARF_RETURN_IF_ERROR(quota_.CheckRoom(bytes_more));
    WHARF_RETURN_IF_ERROR(quota_.CheckNamespace(bytes - *before));
  }
  return CheckCompleted(kind, **session, completed, now);
}

void SessionStates::Change(const LockToken& token, std::optional<std::string> state,
                           std::int64_t bytes_read, const std::vector<LockToken>& completed,
                           Timestamp now, Changes& changes) {
  Lane& main = lanes_.main();
  Session& session = *main.sessions()->FindHeld(token);
  main.NoteActivity(now);
  for (const LockToken& each : completed) main.Complete(each, changes);
  const std::int64_t bytes = BytesOf(state);
  main.CountSessionState(bytes - session.state_bytes().value_or(bytes_read));
  session.NoteStateBytes(bytes);
  changes.push_back(SessionStateSet{record_.id, session.id(), std::move(state), now});
}

Status SessionStates::Set(LaneKind kind, const LockToken& token, std::optional<std::string> state,
                          std::int64_t bytes_read, const std::vector<LockToken>& completed,
                          Timestamp now, Changes& changes) {
  WHARF_RETURN_IF_ERROR(Check(kind, token, state, bytes_read, completed, 0, now));
  Change(token, std::move(state), bytes_read, completed, now, changes);
  return {};
}

}  // namespace wharf
