// An operation of a transaction as one text on the command line:
//
//   send QUEUE BODY                  the body is all that follows the path, as it is
//   VERB QUEUE TOKEN...              complete, abandon, defer, dead-letter, release
//   renew QUEUE TOKEN...
//
// A dead-letter queue is QUEUE/$DeadLetterQueue. Pure functions.
#pragma once

#include <string>

#include "storage/base/status.h"
#include "wharf/v1/transactions.pb.h"

namespace wharf::tool {

Result<v1::TransactionOperation> ParseOperation(const std::string& text);

}  // namespace wharf::tool
