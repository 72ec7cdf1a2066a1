// Whether bytes that a client of another protocol gives back are what they claim to be, so that no
// receiver over AMQP gets what it cannot read. Pure functions.
#pragma once

#include <string_view>

#include "broker/core/messages/amqp_form.h"
#include "storage/base/status.h"

namespace wharf::amqp {

// One whole value, as AMQP has it.
bool IsOneValue(std::string_view bytes);

// ArgumentError with what is wrong.
Status CheckForm(const AmqpForm& form);

}  // namespace wharf::amqp
