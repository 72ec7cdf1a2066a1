#include "broker/schema/amqp_form_record.h"

#include <memory>
#include <utility>

#include "broker/core/messages/amqp_field.h"

namespace wharf {
namespace {

// The values are on disk; a new part goes to the end.
enum class FormPart : std::uint8_t {
  kProperties,
  kApplicationProperties,
  kData,
  kPropertyCount,
  kFields,
  kLongNames,
  kAnnotations,
  kFooter,
  kEnd,
};

constexpr std::uint64_t Bit(FormPart part) { return std::uint64_t{1} << static_cast<int>(part); }

class PartWriter {
 public:
  ByteWriter& Present(FormPart part) {
    bits_ |= Bit(part);
    return writer_;
  }
  void Section(FormPart part, const AmqpForm::Section& section) {
    if (section.is_usual()) return;
    Present(part).Text(section.descriptor);
    writer_.Byte(section.code);
  }
  void Text(FormPart part, const std::string& text) {
    if (!text.empty()) Present(part).Text(text);
  }

  void WriteTo(ByteWriter& writer) const {
    writer.Varint(bits_);
    writer.Raw(parts_);
  }

 private:
  std::uint64_t bits_ = 0;
  std::string parts_;
  ByteWriter writer_{parts_};
};

AmqpForm::Section ReadSection(ByteReader& reader) {
  AmqpForm::Section section;
  section.descriptor = std::string(reader.Text());
  section.code = reader.Byte();
  return section;
}

// In the order of their places, each once.
void ReadFields(ByteReader& reader, AmqpForm& form) {
  const std::uint64_t count = reader.Varint();
  if (count > static_cast<std::uint64_t>(AmqpField::kEnd)) reader.Fail();
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    const auto field = static_cast<AmqpField>(reader.Byte());
    const bool is_next =
        field < AmqpField::kEnd && (form.fields.empty() || form.fields.back().first < field);
    if (!is_next) return reader.Fail();
    form.fields.emplace_back(field, std::string(reader.Text()));
  }
}

void ReadLongNames(ByteReader& reader, AmqpForm& form) {
  const std::uint64_t count = reader.Varint();
  if (count > reader.left()) reader.Fail();
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    form.long_names.emplace_back(reader.Text());
  }
}

AmqpForm ReadParts(ByteReader& reader) {
  AmqpForm form;
  const std::uint64_t bits = reader.Varint();
  if (bits >= Bit(FormPart::kEnd)) reader.Fail();
  const auto has = [bits](FormPart part) { return (bits & Bit(part)) != 0; };
  if (has(FormPart::kProperties)) form.properties = ReadSection(reader);
  if (has(FormPart::kApplicationProperties)) form.application_properties = ReadSection(reader);
  if (has(FormPart::kData)) form.data = ReadSection(reader);
  if (has(FormPart::kPropertyCount)) form.property_count = reader.Byte();
  if (has(FormPart::kFields)) ReadFields(reader, form);
  if (has(FormPart::kLongNames)) ReadLongNames(reader, form);
  if (has(FormPart::kAnnotations)) form.annotations = std::string(reader.Text());
  if (has(FormPart::kFooter)) form.footer = std::string(reader.Text());
  return form;
}

}  // namespace

void WriteAmqpForm(ByteWriter& writer, const AmqpForm& form) {
  PartWriter parts;
  parts.Section(FormPart::kProperties, form.properties);
  parts.Section(FormPart::kApplicationProperties, form.application_properties);
  parts.Section(FormPart::kData, form.data);
  if (form.property_count > 0) parts.Present(FormPart::kPropertyCount).Byte(form.property_count);
  if (!form.fields.empty()) {
    ByteWriter& fields = parts.Present(FormPart::kFields);
    fields.Varint(form.fields.size());
    for (const auto& [field, encoded] : form.fields) {
      fields.Byte(static_cast<std::uint8_t>(field));
      fields.Text(encoded);
    }
  }
  if (!form.long_names.empty()) {
    ByteWriter& names = parts.Present(FormPart::kLongNames);
    names.Varint(form.long_names.size());
    for (const std::string& name : form.long_names) names.Text(name);
  }
  parts.Text(FormPart::kAnnotations, form.annotations);
  parts.Text(FormPart::kFooter, form.footer);
  parts.WriteTo(writer);
}

void ReadAmqpForm(ByteReader& reader, Message& message) {
  AmqpForm form = ReadParts(reader);
  for (const auto& [field, encoded] : form.fields) {
    const auto text = TextFieldOf(field);
    if (text == nullptr) continue;
    if (message.*text) return reader.Fail();
    message.*text = TextOf(field, encoded);
    if (!(message.*text)) return reader.Fail();
  }
  if (!reader.failed()) message.amqp_form = std::make_shared<const AmqpForm>(std::move(form));
}

}  // namespace wharf
