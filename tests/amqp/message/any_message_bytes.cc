#include "tests/amqp/message/any_message_bytes.h"

#include <cstdlib>
#include <string>

#include "broker/doors/amqp/codec/writer.h"
#include "broker/doors/amqp/message/batch.h"
#include "broker/doors/amqp/message/body_head.h"
#include "broker/doors/amqp/message/rewrite.h"
#include "broker/doors/amqp/message/sections.h"
#include "tests/amqp/mapping/any_mapping_bytes.h"

namespace wharf::amqp {
namespace {

const DecodeLimits kLimits;

void Require(bool holds) {
  if (!holds) std::abort();
}

// An entry that comes, and goes again.
void TryMap(std::uint64_t descriptor, std::string_view section) {
  const std::string key = "a key that nobody else has";
  const std::string longer = RewriteMap(descriptor, section, {{key, Value(true)}});
  const std::string again = RewriteMap(descriptor, longer, {{key, std::nullopt}});
  const Result<Map> before = MapOf(section, kLimits);
  const Result<Map> after = MapOf(again, kLimits);
  // One more than there may be is an error of its own.
  if (before.ok() && after.ok()) Require(Encoded(*before) == Encoded(*after));
}

void TryProperties(std::string_view section) {
  const std::string changed = RewriteList(descriptor::kProperties, section,
                                          {{properties_field::kSubject, Value(std::string("s"))}});
  Result<Properties> before = PropertiesOf(section, kLimits);
  const Result<Properties> after = PropertiesOf(changed, kLimits);
  if (!before.ok()) return;
  Require(after.ok());
  before->subject.emplace(1, 's');
  Require(*before == *after);
}

// What the head of a body tells is so.
void TryBodyHead(const Sections& sections, std::string_view from_body) {
  const Result<std::optional<BodyHead>> head = ReadBodyHead(from_body, kLimits);
  if (!head.ok()) return Require(sections.body_kind != BodyKind::kData);
  Require(head->has_value() && (*head)->kind == sections.body_kind);
  const std::uint64_t bytes = (*head)->head_bytes + (*head)->content_bytes;
  Require(sections.body_sections > 1 ? bytes < sections.body.size()
                                     : bytes == sections.body.size());
}

}  // namespace

void TryAnyMessageBytes(std::string_view bytes) {
  const Result<Sections> sections = SplitSections(bytes, kLimits);
  const Result<std::optional<Head>> head = SplitHead(bytes, kLimits);
  if (sections.ok()) {
    Require(head.ok() && head->has_value());
    Require((*head)->sections.properties == sections->properties);
    Require((*head)->body_at == static_cast<std::size_t>(sections->body.data() - bytes.data()));
    TryBodyHead(*sections, bytes.substr((*head)->body_at));
  }
  if (!sections.ok()) return Require(!sections.status().message().empty());
  const std::size_t size = sections->header.size() + sections->delivery_annotations.size() +
                           sections->message_annotations.size() + sections->properties.size() +
                           sections->application_properties.size() + sections->body.size() +
                           sections->footer.size();
  Require(size == bytes.size());
  TryMap(descriptor::kDeliveryAnnotations, sections->delivery_annotations);
  TryMap(descriptor::kMessageAnnotations, sections->message_annotations);
  TryMap(descriptor::kApplicationProperties, sections->application_properties);
  TryMap(descriptor::kFooter, sections->footer);
  TryProperties(sections->properties);
  TryAnyMapping(*sections);
  const auto messages = SplitBatch(bytes, 10, kLimits);
  if (messages.ok()) Require(!messages->empty() && messages->size() <= 10);
}

}  // namespace wharf::amqp
