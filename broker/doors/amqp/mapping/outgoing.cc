#include "broker/doors/amqp/mapping/outgoing.h"

#include <algorithm>
#include <limits>

#include "broker/core/messages/amqp_field.h"
#include "broker/core/order/partition.h"
#include "broker/doors/amqp/codec/writer.h"
#include "broker/doors/amqp/mapping/annotations.h"
#include "broker/doors/amqp/mapping/properties.h"
#include "broker/doors/amqp/mapping/property_bytes.h"
#include "broker/doors/amqp/mapping/section_bytes.h"
#include "broker/doors/amqp/message/sections.h"

namespace wharf::amqp {

namespace {

TimestampMs MsOf(Timestamp time) {
  return {std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch()).count()};
}

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char letter) { return static_cast<unsigned char>(letter) < 0x80; });
}

// Entries of a map, one behind the other.
class Entries {
 public:
  template <typename T>
  void Add(std::string_view symbol, const T& value) {
    writer_.WriteSymbol(symbol);
    writer_.Write(value);
    count_ += 2;
  }
  // A key that is no symbol of AMQP's cannot be said.
  void Add(std::string_view symbol, const PropertyValue& value) {
    if (!IsAscii(symbol)) return;
    writer_.WriteSymbol(symbol);
    WriteProperty(writer_, value);
    count_ += 2;
  }
  void AddText(std::string_view symbol, const std::optional<std::string>& text) {
    if (text) Add(symbol, *text);
  }
  void AddProperty(std::string_view name, bool is_long, const PropertyValue& value) {
    is_long ? WriteLongString(name) : writer_.WriteString(name);
    WriteProperty(writer_, value);
    count_ += 2;
  }
  void AddEncoded(std::string_view entries) {
    Reader reader(entries);
    while (!reader.at_end()) {
      reader.TakeEncoded();
      ++count_;
    }
    writer_.WriteEncoded(entries);
  }

  void WriteTo(std::string& out, std::uint64_t descriptor, const AmqpForm::Section& form) const {
    WriteSection(out, descriptor, form, SectionKind::kMap, bytes_, count_);
  }

 private:
  void WriteLongString(std::string_view text) {
    bytes_.push_back(static_cast<char>(code::kString32));
    for (int shift = 24; shift >= 0; shift -= 8) {
      bytes_.push_back(static_cast<char>(static_cast<std::uint8_t>(text.size() >> shift)));
    }
    bytes_ += text;
  }

  std::string bytes_;
  Writer writer_{bytes_};
  std::uint32_t count_ = 0;
};

// Sections of most messages have no more.
constexpr std::size_t kUsualBytes = 200;

// Of most messages: each is made once.
const CarriedProperties& NoneCarried() {
  static const CarriedProperties none;
  return none;
}
const AmqpForm& UsualForm() {
  static const AmqpForm usual;
  return usual;
}

class Encoder {
 public:
  explicit Encoder(const Outgoing& outgoing)
      : outgoing_(outgoing), stored_(outgoing.stored), message_(outgoing.stored.message) {
    if (message_.carried) carried_ = message_.carried.get();
    if (message_.amqp_form) form_ = message_.amqp_form.get();
  }

  EncodedMessage Encode() {
    head_.reserve(kUsualBytes);
    AddHeader();
    AddDeliveryAnnotations();
    AddAnnotations();
    AddProperties();
    AddApplicationProperties();
    AddHeadOfBody();
    return {std::move(head_), Footer()};
  }

 private:
  bool expires() const { return stored_.facts.expires_at != kNever; }

  void AddHeader() {
    Header header{.durable = carried_->durable,
                  .priority = {},
                  .ttl = {},
                  .first_acquirer = carried_->first_acquirer,
                  .delivery_count = outgoing_.delivery_count};
    if (carried_->priority) {
      constexpr std::uint32_t kMax = std::numeric_limits<std::uint8_t>::max();
      header.priority = static_cast<std::uint8_t>(std::min(*carried_->priority, kMax));
    }
    if (expires()) header.ttl = LifeMs();
    Writer writer(head_);
    Write(writer, header);
  }

  std::uint32_t LifeMs() const {
    const auto life = std::chrono::duration_cast<std::chrono::milliseconds>(
        stored_.facts.expires_at - stored_.enqueued_at);
    constexpr std::int64_t kMax = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(life.count(), 0, kMax));
  }

  void AddDeliveryAnnotations() {
    if (!outgoing_.lock_token) return;
    Entries entries;
    entries.Add(annotation::kLockToken, *outgoing_.lock_token);
    entries.WriteTo(head_, descriptor::kDeliveryAnnotations, {});
  }

  void AddAnnotations() {
    Entries entries;
    entries.Add(annotation::kSequenceNumber, static_cast<std::int64_t>(stored_.number.value()));
    entries.Add(annotation::kEnqueuedTime, MsOf(stored_.enqueued_at));
    if (outgoing_.locked_until) {
      entries.Add(annotation::kLockedUntil, MsOf(*outgoing_.locked_until));
    }
    if (stored_.enqueued_number != SequenceNumber()) {
      entries.Add(annotation::kEnqueueSequenceNumber,
                  static_cast<std::int64_t>(stored_.enqueued_number.value()));
    }
    if (outgoing_.state) entries.Add(annotation::kMessageState, *outgoing_.state);
    entries.AddText(annotation::kPartitionKey, message_.partition_key);
    entries.AddText(annotation::kViaPartitionKey, message_.via_partition_key);
    if (message_.scheduled_enqueue_time) {
      entries.Add(annotation::kScheduledEnqueueTime, MsOf(*message_.scheduled_enqueue_time));
    }
    if (!stored_.dead_letter_source.empty()) {
      entries.Add(annotation::kDeadLetterSource, stored_.dead_letter_source);
    }
    if (outgoing_.is_partitioned) {
      entries.Add(annotation::kPartitionId, std::int16_t{PartitionOf(stored_.number)});
    }
    AddOthers(entries);
    entries.WriteTo(head_, descriptor::kMessageAnnotations, {});
  }

  // Of another protocol's sender they may have any name.
  void AddOthers(Entries& entries) const {
    for (const auto& [key, value] : carried_->annotations) {
      if (!annotation::IsOfBroker(key)) entries.Add(key, value);
    }
    entries.AddEncoded(form_->annotations);
  }

  void AddProperties() {
    std::string fields;
    fields.reserve(kUsualBytes);
    std::size_t size = 0;
    std::uint32_t count = 0;
    for (std::uint8_t i = 0; i < static_cast<std::uint8_t>(AmqpField::kEnd); ++i) {
      const std::size_t begin = fields.size();
      AddField(static_cast<AmqpField>(i), fields);
      const bool is_null =
          fields.size() == begin + 1 && static_cast<std::uint8_t>(fields.back()) == code::kNull;
      if (is_null && i >= form_->property_count) continue;
      size = fields.size();
      count = i + 1U;
    }
    // Nulls behind the last one are not said.
    fields.resize(size);
    WriteSection(head_, descriptor::kProperties, form_->properties, SectionKind::kList, fields,
                 count);
  }

  void AddField(AmqpField field, std::string& fields) const {
    Writer writer(fields);
    if (field == AmqpField::kAbsoluteExpiryTime && expires()) {
      return writer.Write(MsOf(stored_.facts.expires_at));
    }
    if (field == AmqpField::kMessageId && outgoing_.needs_id && !HasId(message_)) {
      return writer.Write(std::to_string(stored_.number.value()));
    }
    const std::string* const encoded = form_->Find(field);
    if (encoded != nullptr && IsAsEncoded(message_, field, *encoded)) {
      return writer.WriteEncoded(*encoded);
    }
    WriteField(writer, field, message_, *carried_);
  }

  void AddApplicationProperties() {
    PropertyMap merged;
    const PropertyMap* properties = &message_.application_properties;
    if (outgoing_.changed != nullptr) {
      merged = *properties;
      Merge(merged, *outgoing_.changed);
      properties = &merged;
    }
    Entries entries;
    const auto& long_names = form_->long_names;
    for (const auto& [name, value] : *properties) {
      const bool is_long =
          std::find(long_names.begin(), long_names.end(), name) != long_names.end();
      entries.AddProperty(name, is_long, value);
    }
    entries.WriteTo(head_, descriptor::kApplicationProperties, form_->application_properties);
  }

  void AddHeadOfBody() {
    if (HasSections()) return;
    const auto& body_ref = stored_.facts.body_ref;
    const std::uint64_t size = body_ref ? body_ref->size : message_.body.size();
    WriteHead(head_, descriptor::kData, form_->data, SectionKind::kBinary, size, 1);
  }

  // Whether the body brings its own heads. A client of another protocol may say so of any bytes,
  // and those that are at hand are looked at: a receiver could read nothing of the message
  // otherwise.
  bool HasSections() const {
    if (message_.body_kind == wharf::BodyKind::kData) return false;
    if (message_.body.empty()) return stored_.facts.has_large_body();
    const Result<Sections> sections = SplitSections(message_.body, DecodeLimits());
    if (!sections.ok() || sections->body.size() != message_.body.size()) return false;
    switch (message_.body_kind) {
      case wharf::BodyKind::kValue:
        return sections->body_kind == BodyKind::kValue;
      case wharf::BodyKind::kSequence:
        return sections->body_kind == BodyKind::kSequence;
      default:
        return sections->body_kind == BodyKind::kData;
    }
  }

  std::string Footer() const {
    if (!form_->footer.empty()) return form_->footer;
    Entries entries;
    for (const auto& [key, value] : carried_->footer) entries.Add(key, value);
    std::string footer;
    entries.WriteTo(footer, descriptor::kFooter, {});
    return footer;
  }

  const Outgoing& outgoing_;
  const StoredMessage& stored_;
  const wharf::Message& message_;
  const CarriedProperties* carried_ = &NoneCarried();
  const AmqpForm* form_ = &UsualForm();
  std::string head_;
};

}  // namespace

EncodedMessage EncodeMessage(const Outgoing& outgoing) { return Encoder(outgoing).Encode(); }

std::string EncodeWhole(const Outgoing& outgoing) {
  EncodedMessage encoded = EncodeMessage(outgoing);
  return encoded.head + outgoing.stored.message.body + encoded.tail;
}

}  // namespace wharf::amqp
