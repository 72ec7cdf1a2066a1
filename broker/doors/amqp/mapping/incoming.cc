#include "broker/doors/amqp/mapping/incoming.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "broker/core/messages/encoded_value.h"
#include "broker/doors/amqp/codec/writer.h"
#include "broker/doors/amqp/mapping/annotations.h"
#include "broker/doors/amqp/mapping/properties.h"
#include "broker/doors/amqp/mapping/property_bytes.h"
#include "broker/doors/amqp/mapping/section_bytes.h"
#include "broker/doors/amqp/types/descriptor.h"

namespace wharf::amqp {

namespace {

constexpr std::size_t kShortMax = 255;

// What a Reader took since it stood at `begin`.
std::string_view Since(std::string_view section, std::size_t begin, const Reader& reader) {
  return section.substr(begin, reader.position() - begin);
}

bool IsShortWrittenLong(std::string_view key, std::string_view text) {
  const auto format_code = static_cast<std::uint8_t>(key.front());
  return text.size() <= kShortMax &&
         (format_code == code::kString32 || format_code == code::kSymbol32);
}

bool IsSaid(const CarriedProperties& carried) {
  return carried.content_encoding || carried.user_id || carried.creation_time ||
         carried.group_sequence || carried.priority || carried.durable || carried.first_acquirer ||
         !carried.annotations.empty() || !carried.footer.empty();
}

class Incoming {
 public:
  Incoming(const Sections& sections, const DecodeLimits& limits)
      : sections_(sections), limits_(limits) {}

  Result<wharf::Message> Take() {
    WHARF_RETURN_IF_ERROR(TakeHeader());
    WHARF_RETURN_IF_ERROR(TakeAnnotations());
    WHARF_RETURN_IF_ERROR(TakeProperties());
    WHARF_RETURN_IF_ERROR(TakeApplicationProperties());
    TakeBody();
    TakeFooter();
    TakeLife();
    if (IsSaid(carried_)) {
      message_.carried = std::make_shared<const CarriedProperties>(std::move(carried_));
    }
    if (!form_.is_empty()) {
      message_.amqp_form = std::make_shared<const AmqpForm>(std::move(form_));
    }
    return std::move(message_);
  }

 private:
  Status Ended(Reader& reader, std::string_view section) const {
    if (reader.ok()) return {};
    reader.FailedIn(section);
    return {ErrorCode::kArgumentError, reader.error()};
  }

  Status TakeHeader() {
    Result<Header> header = HeaderOf(sections_.header, limits_);
    if (!header.ok()) return header.status();
    carried_.durable = header->durable;
    carried_.first_acquirer = header->first_acquirer;
    if (header->priority) carried_.priority = *header->priority;
    // Zero is what clients write that write out defaults.
    if (header->ttl && *header->ttl > 0) ttl_ms_ = *header->ttl;
    return {};
  }

  Status TakeAnnotations() {
    const std::string_view section = sections_.message_annotations;
    if (section.empty()) return {};
    Reader reader(section, limits_);
    EnterSection(reader, section, descriptor::kMessageAnnotations);
    reader.EnterMap();
    while (!reader.at_end()) TakeAnnotation(reader, section);
    return Ended(reader, "message-annotations");
  }

  void TakeAnnotation(Reader& reader, std::string_view section) {
    const std::size_t begin = reader.position();
    const bool is_symbol = reader.PeekType() == Type::kSymbol;
    const std::string_view key = reader.TakeEncoded();
    const std::size_t value_begin = reader.position();
    const std::string_view value = reader.TakeEncoded();
    if (!reader.ok()) return;
    const std::string_view name = is_symbol ? wharf::TextOf(key).value_or("") : "";
    if (annotation::IsOfBroker(name)) return;
    if (name == annotation::kPartitionKey) return TakeText(reader, value, message_.partition_key);
    if (name == annotation::kViaPartitionKey) {
      return TakeText(reader, value, message_.via_partition_key);
    }
    if (name == annotation::kScheduledEnqueueTime) return TakeSchedule(reader, value);
    if (!is_symbol || IsShortWrittenLong(key, name)) {
      form_.annotations += section.substr(begin, value_begin - begin);
      form_.annotations += value;
      return;
    }
    carried_.annotations.emplace_back(name, PropertyOf(value));
  }

  static bool IsNull(std::string_view value) {
    return static_cast<std::uint8_t>(value.front()) == code::kNull;
  }

  static void TakeText(Reader& reader, std::string_view value, std::optional<std::string>& text) {
    if (IsNull(value)) return;
    const auto taken = wharf::TextOf(value);
    if (!taken) return reader.Fail("a partition key that is no string");
    text = std::string(*taken);
  }

  void TakeSchedule(Reader& reader, std::string_view value) {
    if (IsNull(value)) return;
    const auto plain = PlainOf(value);
    const auto* const instant = plain ? std::get_if<Instant>(&*plain) : nullptr;
    if (instant == nullptr) return reader.Fail("a scheduled time that is no timestamp");
    const Nanotime& time = instant->since_epoch;
    message_.scheduled_enqueue_time =
        Timestamp(std::chrono::seconds(time.seconds) + Duration(time.nanos / 1000));
  }

  Status TakeProperties() {
    const std::string_view section = sections_.properties;
    if (section.empty()) return {};
    Reader reader(section, limits_);
    AmqpForm::Section form = EnterSection(reader, section, descriptor::kProperties);
    const Reader::Compound list = reader.EnterList();
    const std::size_t begin = reader.position();
    bool ends_with_null = false;
    for (std::uint32_t i = 0; i < list.count && reader.ok(); ++i) {
      ends_with_null = reader.PeekType() == Type::kNull;
      KeepField(reader, section, static_cast<AmqpField>(std::min<std::uint32_t>(i, kFieldsMax)));
    }
    WHARF_RETURN_IF_ERROR(Ended(reader, "properties"));
    if (ends_with_null) form_.property_count = static_cast<std::uint8_t>(list.count);
    const std::size_t bytes = Since(section, begin, reader).size();
    form_.properties = Unusual(std::move(form), SectionKind::kList, bytes, list.count);
    return {};
  }

  // Its bytes, if the message does not say them.
  void KeepField(Reader& reader, std::string_view section, AmqpField field) {
    const std::size_t begin = reader.position();
    TakeField(reader, field, message_, carried_);
    if (!reader.ok()) return;
    const std::string_view encoded = Since(section, begin, reader);
    if (field == AmqpField::kAbsoluteExpiryTime) expiry_ = encoded;
    std::string shortest;
    Writer writer(shortest);
    WriteField(writer, field, message_, carried_);
    if (shortest != encoded) form_.fields.emplace_back(field, encoded);
  }

  Status TakeApplicationProperties() {
    const std::string_view section = sections_.application_properties;
    if (section.empty()) return {};
    Reader reader(section, limits_);
    AmqpForm::Section form = EnterSection(reader, section, descriptor::kApplicationProperties);
    const Reader::Compound map = reader.EnterMap();
    const std::size_t begin = reader.position();
    while (!reader.at_end()) TakeProperty(reader, section);
    if (reader.ok()) CheckLongNames(reader);
    WHARF_RETURN_IF_ERROR(Ended(reader, "application-properties"));
    const std::size_t bytes = Since(section, begin, reader).size();
    form_.application_properties = Unusual(std::move(form), SectionKind::kMap, bytes, map.count);
    return {};
  }

  void TakeProperty(Reader& reader, std::string_view section) {
    const std::size_t begin = reader.position();
    const std::string_view name = reader.ReadString();
    if (!reader.ok()) return;
    if (IsShortWrittenLong(Since(section, begin, reader), name)) {
      form_.long_names.emplace_back(name);
    }
    const std::string_view value = reader.TakeEncoded();
    if (reader.ok()) message_.application_properties.emplace_back(name, PropertyOf(value));
  }

  // A map has no key twice; where one has, nobody could tell which of the two names was the long
  // one.
  void CheckLongNames(Reader& reader) const {
    for (const std::string& name : form_.long_names) {
      const auto& properties = message_.application_properties;
      const auto count = std::count_if(properties.begin(), properties.end(),
                                       [&](const auto& each) { return each.first == name; });
      if (count > 1) return reader.Fail(fmt::format("the key '{:.64}' twice", name));
    }
  }

  void TakeBody() {
    if (sections_.body.empty()) return;
    if (sections_.body_kind == BodyKind::kData && sections_.body_sections == 1) return TakeData();
    message_.body = std::string(sections_.body);
    switch (sections_.body_kind) {
      case BodyKind::kData:
        message_.body_kind = wharf::BodyKind::kDataSections;
        return;
      case BodyKind::kSequence:
        message_.body_kind = wharf::BodyKind::kSequence;
        return;
      case BodyKind::kValue:
        message_.body_kind = wharf::BodyKind::kValue;
        return;
    }
  }

  void TakeData() {
    Reader reader(sections_.body, limits_);
    AmqpForm::Section form = EnterSection(reader, sections_.body, descriptor::kData);
    message_.body = std::string(reader.ReadBinary());
    form_.data = Unusual(std::move(form), SectionKind::kBinary, message_.body.size(), 1);
  }

  // It is told as a map if that map would be written so.
  void TakeFooter() {
    const std::string_view section = sections_.footer;
    if (section.empty()) return;
    Reader reader(section, limits_);
    const AmqpForm::Section form = EnterSection(reader, section, descriptor::kFooter);
    const Reader::Compound map = reader.EnterMap();
    const std::size_t begin = reader.position();
    bool is_usual = true;
    while (!reader.at_end()) {
      const bool is_symbol = reader.PeekType() == Type::kSymbol;
      const std::string_view key = reader.TakeEncoded();
      const std::string_view value = reader.TakeEncoded();
      if (!reader.ok()) break;
      const std::string_view name = is_symbol ? wharf::TextOf(key).value_or("") : "";
      is_usual = is_usual && is_symbol && !IsShortWrittenLong(key, name);
      carried_.footer.emplace_back(name, PropertyOf(value));
    }
    const std::size_t bytes = Since(section, begin, reader).size();
    if (is_usual && Unusual(form, SectionKind::kMap, bytes, map.count).is_usual()) return;
    carried_.footer.clear();
    form_.footer = std::string(section);
  }

  // A life that is too long for the header is told by the two times (PRP-11).
  void TakeLife() {
    if (!ttl_ms_) return;
    Duration life = std::chrono::milliseconds(*ttl_ms_);
    const bool is_cut = *ttl_ms_ == std::numeric_limits<std::uint32_t>::max();
    const auto expiry = PlainOf(expiry_);
    const auto* const end = expiry ? std::get_if<Instant>(&*expiry) : nullptr;
    if (is_cut && end != nullptr && carried_.creation_time) {
      const std::int64_t seconds = end->since_epoch.seconds - carried_.creation_time->seconds;
      const std::int64_t nanos = end->since_epoch.nanos - carried_.creation_time->nanos;
      const Duration told = std::chrono::seconds(seconds) + Duration(nanos / 1000);
      if (told > Duration(0)) life = told;
    }
    message_.time_to_live = life;
  }

  static constexpr std::uint32_t kFieldsMax = static_cast<std::uint32_t>(AmqpField::kEnd);

  const Sections& sections_;
  const DecodeLimits& limits_;
  wharf::Message message_;
  CarriedProperties carried_;
  AmqpForm form_;
  std::optional<std::uint32_t> ttl_ms_;
  // Encoded.
  std::string_view expiry_;
};

}  // namespace

Result<wharf::Message> MessageOf(const Sections& sections, const DecodeLimits& limits) {
  return Incoming(sections, limits).Take();
}

// Version 4 of RFC 4122.
void GiveId(wharf::Message& message, Random& random) {
  if (message.message_id) return;
  const std::uint64_t high = (random.Next() & ~std::uint64_t{0xf000}) | 0x4000;
  const std::uint64_t low = (random.Next() >> 2) | std::uint64_t{1} << 63;
  message.message_id =
      fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, high >> 16 & 0xffff,
                  high & 0xffff, low >> 48, low & 0xffff'ffff'ffff);
}

}  // namespace wharf::amqp
