#include "tests/amqp/message/any_message_bytes.h"

#include <cstdlib>
#include <string>

#include "broker/doors/amqp/codec/writer.h"
#include "broker/doors/amqp/message/batch.h"
#include "broker/doors/amqp/message/data_stream.h"
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

// In pieces, a body of data is what it is whole.
void TryStream(const Sections& sections, std::string_view from_body, std::string_view footer) {
  DataStream stream(from_body.size(), kLimits);
  std::string streamed;
  bool is_good = true;
  for (std::size_t at = 0; at < from_body.size() && is_good; at += 7) {
    is_good =
        stream
            .Feed(from_body.substr(at, 7), [&streamed](std::string_view data) { streamed += data; })
            .ok();
  }
  Require((is_good && stream.Finish().ok()) == (sections.body_kind == BodyKind::kData));
  const auto data = DataOf(sections.body, sections.body_sections);
  if (!data.ok()) return;
  std::string whole;
  for (const std::string_view section : *data) whole += section;
  Require(streamed == whole && stream.footer() == footer);
}

}  // namespace

void TryAnyMessageBytes(std::string_view bytes) {
  const Result<Sections> sections = SplitSections(bytes, kLimits);
  const Result<std::optional<Head>> head = SplitHead(bytes, kLimits);
  if (sections.ok()) {
    Require(head.ok() && head->has_value());
    Require((*head)->sections.properties == sections->properties);
    Require((*head)->body_at == static_cast<std::size_t>(sections->body.data() - bytes.data()));
    const bool has_footer = !(*head)->sections.footer.empty();
    TryStream(*sections, bytes.substr((*head)->body_at), has_footer ? "" : sections->footer);
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
