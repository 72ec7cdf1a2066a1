// Entities as XML: QueueDescription, TopicDescription, SubscriptionDescription, with what is in
// them. Pure functions.
#pragma once

#include <string>

#include "broker/doors/http/atom/site.h"
#include "broker/doors/http/atom/xml_writer.h"
#include "broker/requests/entity_requests.h"

namespace wharf::atom {

void EntityToXml(const QueueSnapshot& entity, const Site& site, XmlWriter& writer);

// Tells one description of an entity from the next; in quotes.
std::string EtagOf(const EntityRecord& record);
std::string EtagOf(const RuleDescription& rule);

}  // namespace wharf::atom
