#include "broker/core/queue/receiving.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "broker/core/queue/gates.h"

namespace wharf {
namespace {

constexpr std::size_t kChangedBytesMax = 64 * 1024 * 1024;

}  // namespace

Status Receiving::Check(LaneKind kind) const { return CheckReceive(record_, kind); }

Result<Source> Receiving::SourceOf(LaneKind kind, const std::optional<LockToken>& session,
                                   Timestamp now) {
  if (session) {
    const Result<Session*> held = holds_.FindSession(kind, *session, now);
    if (!held.ok()) return held.status();
    return Source{kind, *held};
  }
  if (lanes_.of(kind).sessions() == nullptr) return Source{kind};
  return Status(
      ErrorCode::kInvalidOperation,
      "It is not possible for an entity that requires sessions to create a non-sessionful "
      "message receiver.");
}

std::size_t Receiving::locks_left(LaneKind kind) const {
  return limits_.locked_messages_max -
         std::min(limits_.locked_messages_max, lanes_.of(kind).locks().size());
}

bool Receiving::CanLockMore(LaneKind kind, std::size_t count) const {
  return count <= locks_left(kind) && lanes_.of(kind).locks().changed_bytes() < kChangedBytesMax;
}

Status Receiving::TooManyLocked() const {
  return {ErrorCode::kQuotaExceeded,
          fmt::format("'{}' has as many locked messages as it may have ({})",
                      record_.description.name, limits_.locked_messages_max)};
}

bool Receiving::ExpireHeads(const Source& from, Timestamp now, std::size_t count_max,
                            Changes& changes) {
  // Heads of which it is known that they are in no run that could be counted out.
  std::int64_t one_by_one = 0;
  for (std::size_t count = 0;; ++count) {
    const std::optional<FoundMessage> found = lanes_.of(from.kind).FindHead(from.session);
    if (!found) return false;
    const StoredMessage& message = *found->message;
    if (!expiry_.HasExpired(from.kind, message.number, message.facts, now)) return false;
    if (count == count_max) return true;
    if (one_by_one == 0) {
      const MessageRun run = expiry_.ReadyRun(from.kind, now);
      if (expiry_.ExpireRun(run, now, changes)) continue;
      one_by_one = std::max<std::int64_t>(run.count, 1);
    }
    --one_by_one;
    expiry_.Expire(from.kind, *found, now, changes);
  }
}

const StoredMessage* Receiving::Head(const Source& from) const {
  return lanes_.of(from.kind).head(from.session);
}

bool Receiving::CanDeliver(const Source& from, Timestamp now) const {
  const StoredMessage* head = Head(from);
  return head != nullptr && !expiry_.HasExpired(from.kind, head->number, head->facts, now) &&
         record_.description.can_receive() && CanLockMore(from.kind);
}

bool Receiving::MayDeliver(const Source& from) const {
  const bool has_ready = from.session == nullptr ? lanes_.of(from.kind).has_ready()
                                                 : from.session->window().may_deliver();
  return has_ready && record_.description.can_receive() && CanLockMore(from.kind);
}

Delivered Receiving::Deliver(const Source& source, ReceiveMode mode, HolderId holder, Timestamp now,
                             Changes& changes) {
  Lane& from = lanes_.of(source.kind);
  lanes_.main().NoteAccess(now);
  Delivered delivered;
  ReadyHead head;
  if (mode == ReceiveMode::kPeekLock) {
    const bool is_in_session = source.session != nullptr;
    delivered.token = NewLockToken(random_);
    delivered.until =
        is_in_session ? source.session->until() : After(now, record_.description.lock_duration);
    head = from.LockHead(source.session, delivered.token, is_in_session ? kNever : delivered.until,
                         {holder, now}, changes);
  } else {
    head = from.ConsumeHead(source.session, changes);
  }
  delivered.message = std::move(head.message);
  delivered.delivery = std::move(head.delivery);
  return delivered;
}

Delivered Receiving::HandOut(LaneKind kind, ReceiveMode mode, HolderId holder,
                             const FoundMessage& found, Timestamp now, Changes& changes) {
  Lane& from = lanes_.of(kind);
  Delivered delivered{.message = found.message,
                      .delivery = found.delivery,
                      .was_deferred = found.standing == Standing::kDeferred};
  if (mode == ReceiveMode::kPeekLock) {
    const Session* session = holds_.SessionOf(kind, found.message->facts);
    delivered.token = NewLockToken(random_);
    delivered.until =
        session == nullptr ? After(now, record_.description.lock_duration) : session->until();
    from.LockFound(found, delivered.token, session == nullptr ? delivered.until : kNever,
                   {holder, now}, changes);
  } else {
    from.ConsumeFound(found, changes);
  }
  return delivered;
}

}  // namespace wharf
