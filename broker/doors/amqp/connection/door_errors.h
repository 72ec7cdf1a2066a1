// Door errors: what went wrong, as AMQP says it: a condition, a number for replies of nodes, and a
// description that ends as those of Service Bus do (section 25, ENC-8). Pure functions; used by all
// that answers clients of the AMQP door.
#pragma once

#include <string>
#include <string_view>

#include "broker/doors/amqp/types/composites.h"
#include "broker/requests/caller.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf::amqp {

// The columns "AMQP condition" and "Mgmt statusCode".
std::string_view ConditionOf(ErrorCode code);
int StatusNumberOf(ErrorCode code);

// What a description says beside the sentence, so that the log can be searched by it.
struct ErrorPlace {
  // As the client wrote it; empty: the connection.
  std::string_view entity{};
  TrackingId tracking_id{};
  Timestamp at{};
};

std::string DescriptionOf(const Status& status, const ErrorPlace& place);
Error ErrorOf(const Status& status, const ErrorPlace& place);

}  // namespace wharf::amqp
