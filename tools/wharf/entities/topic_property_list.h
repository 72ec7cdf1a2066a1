// TopicPropertyList: the properties of topics and of subscriptions, each with its help, as
// property_list.h makes options of them.
//
// A test compares them with the API. Used by `wharf topic` and `wharf subscription`.
#pragma once

#include <span>

#include "tools/wharf/entities/property_list.h"

namespace wharf::tool {

std::span<const PropertyHelp> AllTopicProperties();
std::span<const PropertyHelp> AllSubscriptionProperties();

}  // namespace wharf::tool
