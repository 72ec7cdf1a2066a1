#include "broker/doors/http/atom/unknown_elements.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "broker/core/entities/queue_description.h"
#include "broker/doors/common/field_error.h"
#include "broker/doors/http/atom/xml_names.h"
#include "broker/doors/http/atom/xml_writer.h"

namespace wharf::atom {
namespace {

// What Service Bus has in its descriptions, of whatever kind of entity: what we read, what we
// write, and what there only is. A client that gives it back does not ask us to keep it.
constexpr std::string_view kKnownElements[] = {
    "AccessedAt",
    "AuthorizationRules",
    "AutoDeleteOnIdle",
    "ClientAffineProperties",
    "CountDetails",
    "CreatedAt",
    "DeadLetteringOnFilterEvaluationExceptions",
    "DeadLetteringOnMessageExpiration",
    "DefaultMessageTimeToLive",
    "DefaultRuleDescription",
    "DuplicateDetectionHistoryTimeWindow",
    "EnableBatchedOperations",
    "EnableExpress",
    "EnablePartitioning",
    "EnableSubscriptionPartitioning",
    "EntityAvailabilityStatus",
    "FilteringMessagesBeforePublishing",
    "ForwardDeadLetteredMessagesTo",
    "ForwardTo",
    "IsAnonymousAccessible",
    "IsClientAffine",
    "IsExpress",
    "LockDuration",
    "MaxDeliveryCount",
    "MaxMessageSizeInKilobytes",
    "MaxSizeInMegabytes",
    "MessageCount",
    "RequiresDuplicateDetection",
    "RequiresSession",
    "SizeInBytes",
    "SkippedUpdate",
    "Status",
    "SubscriptionCount",
    "SupportOrdering",
    "UpdatedAt",
    "UserMetadata",
};

}  // namespace

bool IsKnownElement(const XmlName& name) {
  return name.space == kServiceBusSpace &&
         std::find(std::begin(kKnownElements), std::end(kKnownElements), name.name) !=
             std::end(kKnownElements);
}

namespace {

constexpr std::string_view kDefaultDeclaration = "xmlns";

using Declarations = std::vector<XmlAttribute>;

bool Declares(const Declarations& declarations, std::string_view name) {
  return std::any_of(declarations.begin(), declarations.end(),
                     [name](const XmlAttribute& each) { return each.name == name; });
}

// What EntityToXml declares.
bool IsDeclaredAnyway(const XmlAttribute& declaration) {
  return (declaration.name == "xmlns" && declaration.value == kServiceBusSpace) ||
         (declaration.name == "xmlns:i" && declaration.value == kInstanceSpace);
}

// Whether anything in it may mean the prefix of "x:": a name does, and a value or a text may, as
// that of a type does.
bool Mentions(const XmlElement& element, std::string_view prefix) {
  const auto has = [prefix](std::string_view text) { return text.find(prefix) != text.npos; };
  return has(element.prefix + ':') || has(element.text) ||
         std::any_of(element.attributes.begin(), element.attributes.end(),
                     [&has](const auto& each) { return has(each.name) || has(each.value); }) ||
         std::any_of(element.children.begin(), element.children.end(),
                     [prefix](const XmlElement& child) { return Mentions(child, prefix); });
}

bool Needs(const XmlElement& element, const XmlAttribute& declaration) {
  if (Declares(element.declarations, declaration.name) || IsDeclaredAnyway(declaration)) {
    return false;
  }
  if (declaration.name == kDefaultDeclaration) return true;
  return Mentions(element, declaration.name.substr(kDefaultDeclaration.size() + 1) + ':');
}

std::size_t AttributesOf(const XmlElement& element) {
  return element.declarations.size() + element.attributes.size();
}

// `inherited`: what it must declare beside its own.
void Write(const XmlElement& element, const Declarations& inherited, XmlWriter& writer) {
  XmlWriter::Attributes attributes;
  for (const auto* list : {&inherited, &element.declarations, &element.attributes}) {
    for (const XmlAttribute& each : *list) attributes.emplace_back(each.name, each.value);
  }
  const std::string name = element.prefix.empty()
                               ? element.name.name
                               : fmt::format("{}:{}", element.prefix, element.name.name);
  const std::string_view text = element.text;
  if (element.children.empty()) return writer.Leaf(name, text, attributes);
  writer.Open(name, attributes);
  std::size_t written = 0;
  for (const XmlElement& child : element.children) {
    writer.Text(text.substr(written, child.text_before - written));
    Write(child, {}, writer);
    written = child.text_before;
  }
  writer.Text(text.substr(written));
  writer.Close();
}

}  // namespace

Result<std::string> UnknownElements(const XmlElement& description) {
  Declarations around = description.declarations;
  // A name without a prefix is in no namespace then.
  if (!Declares(around, kDefaultDeclaration)) around.push_back({.name = "xmlns", .value = ""});
  XmlWriter writer;
  for (const XmlElement& child : description.children) {
    if (IsKnownElement(child.name)) continue;
    Declarations inherited;
    std::copy_if(around.begin(), around.end(), std::back_inserter(inherited),
                 [&child](const XmlAttribute& each) { return Needs(child, each); });
    // It could not be given back otherwise.
    if (AttributesOf(child) + inherited.size() > kXmlAttributesMax) {
      return BadValue(fmt::format("{:.64}", child.name.name), "has too many attributes");
    }
    Write(child, inherited, writer);
    if (writer.bytes() > kUnknownElementsBytesMax) {
      return OutOfRange(fmt::format("what is not known of a {:.64}", description.name.name),
                        fmt::format("has more than {} bytes as XML", kUnknownElementsBytesMax));
    }
  }
  std::string text = writer.Take();
  text.shrink_to_fit();
  return text;
}

}  // namespace wharf::atom
