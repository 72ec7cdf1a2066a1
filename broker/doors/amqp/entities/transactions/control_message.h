// ControlMessage: what a client asks of the coordinator of transactions: to declare one, or to
// discharge it (TXN-15). A pure function; used by TransactionNode.
#pragma once

#include <string_view>
#include <variant>

#include "broker/doors/amqp/types/composites.h"
#include "storage/base/status.h"

namespace wharf::amqp {

using ControlMessage = std::variant<Declare, Discharge>;

Result<ControlMessage> ReadControlMessage(std::string_view message);

}  // namespace wharf::amqp
