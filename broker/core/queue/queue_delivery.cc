// Receiving and settling: how a message is handed out, and where it goes when its lock ends.

#include <algorithm>
#include <cassert>

#include <fmt/core.h>

#include "broker/core/messages/text.h"
#include "broker/core/queue/life.h"
#include "broker/core/queue/queue.h"

namespace wharf {
namespace {

constexpr std::size_t kChangedBytesMax = 64 * 1024 * 1024;

}  // namespace

Status Queue::CheckReceive(LaneKind lane_kind) const {
  if (kind() == EntityKind::kTopic) {
    return {ErrorCode::kInvalidOperation,
            fmt::format("'{}' is a topic: receive from its subscriptions", description().name)};
  }
  if (const auto& target = forwards_to(lane_kind)) {
    return {ErrorCode::kInvalidOperation,
            fmt::format("{}'{}' forwards its messages to '{}': they cannot be received here",
                        lane_kind == LaneKind::kMain ? "" : "the dead-letter queue of ",
                        description().name, *target)};
  }
  if (description().can_receive()) return {};
  return {ErrorCode::kMessagingEntityDisabled,
          fmt::format("receiving from '{}' is disabled by its status", description().name)};
}

std::size_t Queue::locks_left(LaneKind kind) const {
  return limits_.locked_messages_max -
         std::min(limits_.locked_messages_max, lanes_.of(kind).locks().size());
}

bool Queue::CanLockMore(LaneKind kind, std::size_t count) const {
  return count <= locks_left(kind) && lanes_.of(kind).locks().changed_bytes() < kChangedBytesMax;
}

bool Queue::ExpireHeads(const Source& source, Timestamp now, std::size_t count_max,
                        Changes& changes) {
  for (std::size_t count = 0;; ++count) {
    const std::optional<FoundMessage> found = lanes_.of(source.kind).FindHead(source.session);
    if (!found) return false;
    const StoredMessage& message = *found->message;
    if (!expiry_.HasExpired(source.kind, message.number, message.facts, now)) return false;
    if (count == count_max) return true;
    expiry_.Expire(source.kind, *found, now, changes);
  }
}

const StoredMessage* Queue::Head(const Source& from) const {
  return lanes_.of(from.kind).head(from.session);
}

bool Queue::CanDeliver(const Source& from, Timestamp now) const {
  const StoredMessage* head = Head(from);
  return head != nullptr && !expiry_.HasExpired(from.kind, head->number, head->facts, now) &&
         description().can_receive() && CanLockMore(from.kind);
}

bool Queue::MayDeliver(const Source& from) const {
  const bool has_ready = from.session == nullptr ? lanes_.of(from.kind).has_ready()
                                                 : from.session->window().may_deliver();
  return has_ready && description().can_receive() && CanLockMore(from.kind);
}

Delivered Queue::Deliver(const Source& source, ReceiveMode mode, HolderId holder, Timestamp now,
                         Changes& changes) {
  Lane& from = lanes_.of(source.kind);
  lanes_.main().NoteAccess(now);
  Delivered delivered;
  ReadyHead head;
  if (mode == ReceiveMode::kPeekLock) {
    const bool is_in_session = source.session != nullptr;
    delivered.token = NewToken();
    delivered.until =
        is_in_session ? source.session->until() : After(now, description().lock_duration);
    head = from.LockHead(source.session, delivered.token, is_in_session ? kNever : delivered.until,
                         {holder, now}, changes);
  } else {
    head = from.ConsumeHead(source.session, changes);
  }
  delivered.message = std::move(head.message);
  delivered.delivery = std::move(head.delivery);
  return delivered;
}

}  // namespace wharf
