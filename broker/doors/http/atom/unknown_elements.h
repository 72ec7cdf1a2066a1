// Unknown elements: what stands in a client's description of an entity beside all that Service Bus
// has there, as a text that is kept with the entity and given back (EPR-24).
//
// The text is our own writing of it: elements, attributes and prefixes as they were, without
// comments. Of what stands around it, it takes for granted what EntityToXml declares, and no more.
// Pure functions.
#pragma once

#include <string>

#include "broker/doors/http/atom/xml_tree.h"
#include "storage/base/status.h"

namespace wharf::atom {

// Whether Service Bus has an element of that name, and so no client is asked to keep it.
bool IsKnownElement(const XmlName& name);

// Those among the children of a QueueDescription, TopicDescription or SubscriptionDescription;
// empty: there are none. Too many are ArgumentOutOfRange.
Result<std::string> UnknownElements(const XmlElement& description);

}  // namespace wharf::atom
