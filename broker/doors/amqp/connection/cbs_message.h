// CbsMessage: what is asked of `$cbs`, and what is answered, as encoded messages (SEC-8). Pure
// functions; used by CbsNode.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "broker/doors/amqp/types/composites.h"
#include "storage/base/status.h"

namespace wharf::amqp {

struct CbsRequest {
  // Of any type; the answer names it by the same.
  std::optional<MessageId> message_id;
  std::optional<std::string> reply_to;
  // Of put-token; empty where the request does not say it.
  std::string operation;
  std::string type;
  std::string audience;
  std::string token;
};

// An error only if it cannot be answered, for it is no message.
Result<CbsRequest> ReadCbsRequest(std::string_view message);

// In a message of its own; the words are those of `$cbs`, which writes them with a hyphen.
std::string WriteCbsReply(const std::optional<MessageId>& correlation_id, int status_number,
                          std::string_view description);

}  // namespace wharf::amqp
