// Values of properties and parameters as XML has them: typed by the `type` of XMLSchema-instance.
// Pure functions.
#pragma once

#include <string_view>

#include "broker/core/messages/property_value.h"
#include "broker/doors/http/atom/xml_tree.h"
#include "broker/doors/http/atom/xml_writer.h"
#include "storage/base/status.h"

namespace wharf::atom {

// The Key and Value pairs of a filter or an action; `list` is what they stand in.
Result<PropertyMap> PropertiesFromXml(const XmlElement& list);
// The same written in an element of that name; nothing if there are none.
void PropertiesToXml(std::string_view name, const PropertyMap& properties, XmlWriter& writer);

}  // namespace wharf::atom
