#include "tests/http/atom/any_entry.h"

#include <cstdlib>

#include "broker/doors/http/atom/feed.h"
#include "broker/doors/http/atom/given_description.h"
#include "broker/doors/http/atom/rule_xml.h"

namespace wharf::atom {
namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

// What no reader keeps apart: line ends and what is no character.
bool IsPlain(std::string_view text) { return text.find('\r') == std::string_view::npos; }

void TryRule(const XmlElement& element, bool is_plain) {
  const Result<RuleDescription> rule = RuleFromXml(element);
  if (!rule.ok()) return;
  const Result<XmlElement> again = ContentOf(RuleEntry("t/Subscriptions/s", *rule, {}));
  Require(again.ok());
  const Result<RuleDescription> read = RuleFromXml(*again);
  Require(read.ok());
  if (is_plain) Require(read->name == rule->name && read->filter.index() == rule->filter.index());
}

void TryEntity(EntityKind kind, const XmlElement& element) {
  const Result<GivenDescription> given = DescriptionFromXml(kind, element);
  if (!given.ok()) return;
  QueueSnapshot entity;
  entity.record.kind = kind;
  entity.record.description = given->description;
  entity.record.description.name = kind == EntityKind::kSubscription ? "t/Subscriptions/s" : "e";
  const Result<XmlElement> again = ContentOf(EntityEntry(entity, {.origin = "https://h"}));
  Require(again.ok());
  const Result<GivenDescription> read = DescriptionFromXml(kind, *again);
  Require(read.ok());
  Require(read->description.lock_duration == given->description.lock_duration);
  Require(read->description.max_delivery_count == given->description.max_delivery_count);
  Require(read->description.unknown_elements == given->description.unknown_elements);
}

}  // namespace

void TryAnyEntry(std::string_view text) {
  const Result<XmlElement> content = ContentOf(text);
  if (!content.ok()) return;
  TryRule(*content, IsPlain(text));
  for (const EntityKind kind :
       {EntityKind::kQueue, EntityKind::kTopic, EntityKind::kSubscription}) {
    TryEntity(kind, *content);
  }
}

}  // namespace wharf::atom
