#include "broker/doors/amqp/message/sections.h"

#include <string>

#include <fmt/format.h>

#include "broker/doors/amqp/types/descriptor.h"

namespace wharf::amqp {

namespace {

struct Kind {
  std::uint64_t code;
  std::string_view name;
  // Sections come in this order.
  int place;
  // Nothing of an amqp-value, which may have any.
  std::optional<Type> type;
  std::string_view Sections::*view;
};

constexpr int kBodyPlace = 5;
constexpr int kFooterPlace = 6;

constexpr Kind kKinds[] = {
    {descriptor::kHeader, "header", 0, Type::kList, &Sections::header},
    {descriptor::kDeliveryAnnotations, "delivery-annotations", 1, Type::kMap,
     &Sections::delivery_annotations},
    {descriptor::kMessageAnnotations, "message-annotations", 2, Type::kMap,
     &Sections::message_annotations},
    {descriptor::kProperties, "properties", 3, Type::kList, &Sections::properties},
    {descriptor::kApplicationProperties, "application-properties", 4, Type::kMap,
     &Sections::application_properties},
    {descriptor::kData, "data", kBodyPlace, Type::kBinary, &Sections::body},
    {descriptor::kAmqpSequence, "amqp-sequence", kBodyPlace, Type::kList, &Sections::body},
    {descriptor::kAmqpValue, "amqp-value", kBodyPlace, std::nullopt, &Sections::body},
    {descriptor::kFooter, "footer", kFooterPlace, Type::kMap, &Sections::footer},
};

const Kind* KindOf(std::uint64_t code) {
  for (const Kind& kind : kKinds) {
    if (kind.code == code) return &kind;
  }
  return nullptr;
}

BodyKind BodyKindOf(const Kind& kind) {
  if (kind.code == descriptor::kData) return BodyKind::kData;
  return kind.code == descriptor::kAmqpSequence ? BodyKind::kSequence : BodyKind::kValue;
}

Status Broken(std::string what) { return {ErrorCode::kArgumentError, std::move(what)}; }

class Splitter {
 public:
  Splitter(std::string_view message, const DecodeLimits& limits)
      : message_(message), reader_(message, limits) {}

  Result<Sections> Split() {
    while (!reader_.at_end()) TakeSection(nullptr);
    if (reader_.ok() && sections_.body_sections == 0) reader_.Fail("a message without a body");
    if (!reader_.ok()) return Broken(reader_.error());
    return sections_;
  }

  Result<std::optional<Head>> SplitHead() {
    std::optional<std::size_t> body_at;
    while (!reader_.at_end() && !body_at.has_value()) TakeSection(&body_at);
    if (reader_.ok() && body_at.has_value()) {
      return std::optional(Head{.sections = sections_, .body_at = *body_at});
    }
    if (reader_.ok() || reader_.has_run_out()) return std::optional<Head>();
    return Broken(reader_.error());
  }

 private:
  // Who looks for the body only is told where it begins.
  void TakeSection(std::optional<std::size_t>* body_at) {
    const std::size_t begin = reader_.position();
    reader_.EnterDescribed();
    const std::uint64_t code = ReadDescriptor(reader_);
    const Kind* const kind = KindOf(code);
    if (reader_.ok() && kind == nullptr) reader_.Fail("a section that no message has");
    if (!reader_.ok() || kind == nullptr || !HasPlace(*kind)) return;
    const Type type = reader_.PeekType();
    if (reader_.ok() && kind->type.value_or(type) != type) {
      return reader_.Fail(fmt::format("{} of {}", kind->name, ATypeName(type)));
    }
    if (body_at != nullptr && kind->place == kBodyPlace) return EndHead(*kind, begin, *body_at);
    reader_.TakeEncoded();
    reader_.FailedIn(kind->name);
    reader_.LeaveDescribed();
    if (reader_.ok()) Keep(*kind, begin);
  }

  void EndHead(const Kind& kind, std::size_t begin, std::optional<std::size_t>& body_at) {
    sections_.body_kind = BodyKindOf(kind);
    if (reader_.ok()) body_at = begin;
  }

  bool HasPlace(const Kind& kind) {
    const bool goes_on = kind.place == kBodyPlace && last_ != nullptr && last_->code == kind.code &&
                         kind.code != descriptor::kAmqpValue;
    if (last_ == nullptr || goes_on || IsBodyBehindFooter(kind)) return true;
    const bool is_twice = kind.place == kFooterPlace && !sections_.footer.empty();
    if (kind.place > last_->place && !is_twice) return true;
    reader_.Fail(fmt::format("{} behind {}", kind.name, last_->name));
    return false;
  }

  // As rhea writes it, and by rhea Azure's SDK for JavaScript.
  bool IsBodyBehindFooter(const Kind& kind) const {
    return kind.place == kBodyPlace && last_->place == kFooterPlace && sections_.body_sections == 0;
  }

  void Keep(const Kind& kind, std::size_t begin) {
    std::string_view& view = sections_.*kind.view;
    const std::size_t first =
        view.empty() ? begin : static_cast<std::size_t>(view.data() - message_.data());
    view = message_.substr(first, reader_.position() - first);
    last_ = &kind;
    if (kind.place != kBodyPlace) return;
    sections_.body_kind = BodyKindOf(kind);
    ++sections_.body_sections;
  }

  const std::string_view message_;
  Reader reader_;
  const Kind* last_ = nullptr;
  Sections sections_;
};

template <typename Content>
Result<Content> CompositeOf(std::string_view section, const DecodeLimits& limits) {
  Content content;
  if (section.empty()) return content;
  Reader reader(section, limits);
  Read(reader, content);
  if (!reader.ok()) return Broken(reader.error());
  return content;
}

}  // namespace

Result<Sections> SplitSections(std::string_view message, const DecodeLimits& limits) {
  return Splitter(message, limits).Split();
}

Result<std::optional<Head>> SplitHead(std::string_view begin, const DecodeLimits& limits) {
  return Splitter(begin, limits).SplitHead();
}

Result<Header> HeaderOf(std::string_view section, const DecodeLimits& limits) {
  return CompositeOf<Header>(section, limits);
}

Result<Properties> PropertiesOf(std::string_view section, const DecodeLimits& limits) {
  return CompositeOf<Properties>(section, limits);
}

Result<Map> MapOf(std::string_view section, const DecodeLimits& limits) {
  Map map;
  if (section.empty()) return map;
  Reader reader(section, limits);
  reader.EnterDescribed();
  ReadDescriptor(reader);
  reader.Read(map);
  if (!reader.ok()) return Broken(reader.error());
  return map;
}

}  // namespace wharf::amqp
