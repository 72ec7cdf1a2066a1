// The AmqpForm of wharf.v1. Used by the conversion of messages.
#pragma once

#include <wharf/v1/message.pb.h>

#include "broker/core/messages/amqp_form.h"
#include "storage/base/status.h"

namespace wharf {

// ArgumentError if something in it is no encoded AMQP.
Result<AmqpForm> FromProto(const v1::AmqpForm& proto);
void ToProto(const AmqpForm& form, v1::AmqpForm* proto);

}  // namespace wharf
