// Assignment: what SET and REMOVE do to one property of a message.
#pragma once

#include "broker/core/messages/message.h"
#include "broker/core/messages/property_value.h"
#include "broker/filter/assembler.h"
#include "storage/base/status.h"

namespace wharf::sql {

// Creates the property or overwrites it. A number takes the type of the number that was there; one
// that does not fit fails, as does a system property's value of another type (ACT-1, ACT-7). Other
// user properties take the type of the value.
Status Assign(Message& message, const PropertyReference& target, PropertyValue value);

// Removing what is not there is no error (ACT-2).
void Remove(Message& message, const PropertyReference& target);

}  // namespace wharf::sql
