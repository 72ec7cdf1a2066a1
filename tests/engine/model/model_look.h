// What a message of the broker looks like beside the one of a model.
//
// Used by the runs that compare the two.
#pragma once

#include <map>
#include <string>

#include "broker/core/queue/queue.h"
#include "tests/engine/model/model.h"

namespace wharf {

// As text, with those that receivers changed.
std::map<std::string, std::string> PropertiesOf(const StoredMessage& message,
                                                const Delivery& delivery);
// A sentence; empty if there is no difference.
std::string DifferenceOf(const StoredMessage& message, const Delivery& delivery,
                         const ModelMessage& expected);

}  // namespace wharf
