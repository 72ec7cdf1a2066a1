#include "broker/reading/body_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "broker/reading/careful_reader.h"
#include "broker/reading/message_reader.h"
#include "broker/schema/change_encoder.h"

namespace wharf {
namespace {

Status CannotBeRead(const BodyRange& range, std::string_view reason) {
  return {ErrorCode::kGeneralError, fmt::format("message {} of '{}' cannot be read: {}",
                                                range.number.value(), range.name, reason)};
}

// Null if there is none.
Result<MessagePtr> FindAmongScheduled(const StoreView& view, const BodyRange& range) {
  const bool may_be = range.shelf.kind == LaneKind::kMain && range.number >= range.scheduled_floor;
  if (!may_be) return MessagePtr();
  const Result<Contents> found = ReadScheduledRows(view, range.shelf.entity, {range.number});
  if (found.status().is_damage()) return CannotBeRead(range, found.status().message());
  if (!found.ok()) return found.status();
  return Has(*found, range.number) ? found->at(range.number) : MessagePtr();
}

// In its lane, or scheduled; without a body that has rows of its own.
Result<MessagePtr> Find(const StoreView& view, const BodyRange& range) {
  auto found = LookAt(view, range.shelf, range.number, Bodies::kLeave);
  if (!found.ok()) return found.status();
  if (*found && !(*found)->is_readable()) return CannotBeRead(range, (*found)->unreadable);
  if (*found) return std::move((*found)->message);
  Result<MessagePtr> scheduled = FindAmongScheduled(view, range);
  if (!scheduled.ok() || *scheduled != nullptr) return scheduled;
  return Status(ErrorCode::kMessageNotFound, fmt::format("'{}' has no message with the number {}",
                                                         range.name, range.number.value()));
}

// From the first chunk that it needs on.
Result<std::string> ReadFromChunks(const StoreView& view, const BodyRange& range,
                                   const BodyRef& body) {
  std::string data;
  for (std::uint64_t at = range.from; at < body.size && data.size() < range.bytes_max;
       at = range.from + data.size()) {
    const auto chunk = static_cast<std::uint32_t>(at / kBodyChunkBytes);
    const Result<std::string> read = ReadBodyChunk(view, body, chunk);
    if (!read.ok()) return CannotBeRead(range, read.status().message());
    data.append(*read, at % kBodyChunkBytes, range.bytes_max - data.size());
  }
  return data;
}

}  // namespace

Result<BodyPiece> ReadBodyPiece(const StoreView& view, const BodyRange& range) {
  const Result<MessagePtr> message = Find(view, range);
  if (!message.ok()) return message.status();
  const std::optional<BodyRef>& body = (*message)->facts.body_ref;
  const std::string_view held = (*message)->message.body;
  BodyPiece piece{.size = body ? body->size : held.size()};
  if (range.from > piece.size) {
    return Status(ErrorCode::kArgumentOutOfRange,
                  fmt::format("the body of message {} of '{}' has {} bytes: nothing begins at {}",
                              range.number.value(), range.name, piece.size, range.from));
  }
  if (!body) {
    piece.data = held.substr(range.from, range.bytes_max);
    return piece;
  }
  Result<std::string> data = ReadFromChunks(view, range, *body);
  if (!data.ok()) return data.status();
  piece.data = *std::move(data);
  return piece;
}

}  // namespace wharf
