// Rules of subscriptions as XML: RuleDescription. Pure functions.
#pragma once

#include "broker/core/entities/rule.h"
#include "broker/doors/http/atom/xml_tree.h"
#include "broker/doors/http/atom/xml_writer.h"
#include "storage/base/status.h"

namespace wharf::atom {

// Of a RuleDescription, or a DefaultRuleDescription. Without a filter everything matches.
Result<RuleDescription> RuleFromXml(const XmlElement& element);
void RuleToXml(const RuleDescription& rule, XmlWriter& writer);

}  // namespace wharf::atom
