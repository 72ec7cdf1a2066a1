#include "broker/doors/amqp/mapping/form_check.h"

#include <algorithm>
#include <initializer_list>

#include "broker/doors/amqp/codec/format_code.h"
#include "broker/doors/amqp/mapping/properties.h"
#include "broker/doors/amqp/message/sections.h"
#include "broker/doors/amqp/types/descriptor.h"

namespace wharf::amqp {

namespace {

constexpr std::uint8_t kFieldsMax = static_cast<std::uint8_t>(AmqpField::kEnd);

Status Bad(std::string_view part) {
  return {ErrorCode::kArgumentError, std::string("amqp_form.").append(part) + " is not AMQP's"};
}

// A null behind it makes it a value.
bool IsDescriptor(const std::string& bytes, std::uint64_t code) {
  const std::string value = bytes + static_cast<char>(code::kNull);
  Reader reader(value);
  reader.EnterDescribed();
  return ReadDescriptor(reader) == code && reader.TakeNull() && reader.at_end() && reader.ok();
}

bool IsSection(const AmqpForm::Section& section, std::uint64_t descriptor,
               std::initializer_list<std::uint8_t> codes) {
  const bool has_code = std::find(codes.begin(), codes.end(), section.code) != codes.end();
  return (section.code == 0 || has_code) &&
         (section.descriptor.empty() || IsDescriptor(section.descriptor, descriptor));
}

// In the order of their places, and each of the type of its place.
bool AreFields(const AmqpForm& form) {
  const AmqpField* last = nullptr;
  for (const auto& [field, encoded] : form.fields) {
    if (field >= AmqpField::kEnd || (last != nullptr && field <= *last)) return false;
    wharf::Message message;
    CarriedProperties carried;
    Reader reader(encoded);
    const bool is_null = encoded.empty() || reader.PeekType() == Type::kNull;
    TakeField(reader, field, message, carried);
    if (is_null || !reader.ok() || !reader.at_end()) return false;
    last = &field;
  }
  return true;
}

bool AreEntries(std::string_view bytes) {
  Reader reader(bytes);
  std::size_t count = 0;
  for (; !reader.at_end(); ++count) reader.TakeEncoded();
  return reader.ok() && count % 2 == 0;
}

// Behind an empty body it is the last section of a message.
bool IsFooter(const std::string& footer) {
  if (footer.empty()) return true;
  using namespace std::string_literals;
  const std::string message = "\0\x53\x75\xa0\0"s + footer;
  const Result<Sections> sections = SplitSections(message, DecodeLimits());
  return sections.ok() && sections->footer.size() == footer.size();
}

}  // namespace

bool IsOneValue(std::string_view bytes) {
  Reader reader(bytes);
  reader.TakeEncoded();
  return reader.ok() && reader.at_end();
}

Status CheckForm(const AmqpForm& form) {
  if (!IsSection(form.properties, descriptor::kProperties,
                 {code::kList0, code::kList8, code::kList32}) ||
      form.property_count > kFieldsMax) {
    return Bad("properties");
  }
  if (!IsSection(form.application_properties, descriptor::kApplicationProperties,
                 {code::kMap8, code::kMap32})) {
    return Bad("application_properties");
  }
  if (!IsSection(form.data, descriptor::kData, {code::kBinary8, code::kBinary32})) {
    return Bad("data");
  }
  if (!AreFields(form)) return Bad("fields");
  if (!AreEntries(form.annotations)) return Bad("annotations");
  return IsFooter(form.footer) ? Status() : Bad("footer");
}

}  // namespace wharf::amqp
