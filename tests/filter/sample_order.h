// SampleOrder: the message that the tests of filters and actions ask about.
#pragma once

#include "broker/core/messages/message.h"
#include "broker/filter/message_view.h"

namespace wharf {

// Order 7: texts, numbers of all types, instants, null, and names that need brackets.
const Message& SampleOrder();
const BrokerProperties& SampleBroker();
// Values for @names.
const PropertyMap& SampleParameters();

}  // namespace wharf
