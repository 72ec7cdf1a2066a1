// What is asked about sending messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/messages/message.h"
#include "broker/core/messages/send_outcome.h"
#include "broker/requests/entity_ref.h"
#include "storage/base/status.h"

namespace wharf {

// At most this many messages, lock tokens or numbers in one request.
inline constexpr std::size_t kItemsMax = 4500;

// One result a message: its number, or why it was refused.
using SendReceipt = std::vector<Result<SendOutcome>>;

struct SendRequest {
  using Response = SendReceipt;
  EntityRef entity{};
  std::vector<Message> messages{};
  // All messages or none.
  bool atomic = false;
  // Of an atomic one, or of one message: its bytes as the client encoded it, where that is what the
  // client holds against the limit. What is within it is not too large, though its messages have
  // more in the broker, each or together: the door may have given each an id that the client did
  // not reckon with.
  std::optional<std::int64_t> encoded_bytes{};
};

// A message whose body comes in pieces; see Upload.
struct UploadRequest {
  EntityRef entity{};
  // Without a body.
  Message message{};
  // Absent: that is known at its end; the upload ends apart then.
  std::optional<std::uint64_t> body_bytes = 0;
  // What stands behind the body is not known yet: it is over when UploadHandle::End says so.
  bool ends_apart = false;
  // Of the message, an id that the door drew: not held against the limit, for the client did not
  // reckon with it.
  std::int64_t drawn_bytes = 0;
};

}  // namespace wharf
