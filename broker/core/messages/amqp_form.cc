#include "broker/core/messages/amqp_form.h"

#include "broker/core/messages/encoded_value.h"

namespace wharf {
namespace {

std::size_t SizeOf(const AmqpForm::Section& section) { return section.descriptor.size(); }

std::optional<std::string> Owned(std::optional<std::string_view> view) {
  return view ? std::optional(std::string(*view)) : std::nullopt;
}

}  // namespace

const std::string* AmqpForm::Find(AmqpField field) const {
  for (const auto& [place, encoded] : fields) {
    if (place == field) return &encoded;
  }
  return nullptr;
}

std::size_t SizeOf(const AmqpForm& form) {
  constexpr std::size_t kFixed = 4;
  std::size_t size = kFixed + SizeOf(form.properties) + SizeOf(form.application_properties) +
                     SizeOf(form.data) + form.annotations.size() + form.footer.size();
  for (const auto& [place, encoded] : form.fields) size += encoded.size();
  for (const std::string& name : form.long_names) size += name.size();
  return size;
}

std::optional<std::string> TextOf(AmqpField field, std::string_view encoded) {
  switch (field) {
    case AmqpField::kMessageId:
    case AmqpField::kCorrelationId:
      return IdTextOf(encoded);
    case AmqpField::kUserId:
      return Owned(BinaryOf(encoded));
    case AmqpField::kTo:
    case AmqpField::kSubject:
    case AmqpField::kReplyTo:
    case AmqpField::kContentType:
    case AmqpField::kContentEncoding:
    case AmqpField::kGroupId:
    case AmqpField::kReplyToGroupId:
      return Owned(TextOf(encoded));
    case AmqpField::kAbsoluteExpiryTime:
    case AmqpField::kCreationTime:
    case AmqpField::kGroupSequence:
    case AmqpField::kEnd:
      break;
  }
  return std::nullopt;
}

}  // namespace wharf
