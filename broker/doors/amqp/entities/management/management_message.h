// ManagementMessage: what is asked of the `$management` of an entity, and what is answered, as
// encoded messages (doors.md, section 9). Pure functions; used by ManagementNode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "broker/doors/amqp/connection/door_errors.h"
#include "broker/doors/amqp/connection/reply_links.h"
#include "broker/doors/amqp/entities/management/unheard_locks.h"
#include "broker/doors/amqp/types/composites.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf::amqp {

struct ManagementRequest {
  // Of any type; the answer names it by the same.
  std::optional<MessageId> message_id{};
  std::optional<std::string> reply_to{};
  // Empty where the request does not say it.
  std::string operation{};
  // For how long its client waits.
  std::optional<Duration> patience{};
  // As the client calls it, and hears it again.
  std::optional<std::string> tracking_id{};
  // Of the link that it is done for.
  std::optional<std::string> link_name{};
  Map body{};
  // Why the body could not be read, which is its answer.
  Status wrong{};
  // Of all of it.
  std::size_t bytes = 0;
};

// An error only if it cannot be answered, for it is no message. One without a map has an empty one.
Result<ManagementRequest> ReadManagementRequest(std::string_view message);

// Of an answer whose one message has a large body: that comes apart, and ends the answer.
struct LargeReplyMessage {
  // Absent: it is not locked.
  std::optional<Uuid> lock_token{};
  // As encoded: up to the first byte of its body, and all of it.
  std::string head{};
  std::uint64_t bytes = 0;
  // From there on, as ReplyLinks::Rest has it.
  std::function<void(ReplyLinks::Tell tell)> read{};
};

struct ManagementReply {
  static constexpr int kDone = 200;
  static constexpr int kNothing = 204;

  int status_number = kDone;
  std::string description = "OK";
  // Of a failure, and of some that found nothing; else empty.
  std::string condition{};
  // Absent: there is none.
  std::optional<Map> body{};
  // Instead of a body.
  std::optional<LargeReplyMessage> large{};
  // Of the messages in it.
  UnheardLocks::Id locked = UnheardLocks::kNone;
};

// Of a failure: the condition as well as the number, which alone would be taken for something else.
ManagementReply ReplyFor(const Error& error, ErrorCode code);
// Of one with a large message: up to its body.
std::string WriteManagementReply(const ManagementRequest& request, const ManagementReply& reply);

}  // namespace wharf::amqp
