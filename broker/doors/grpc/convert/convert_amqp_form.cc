#include "broker/doors/grpc/convert/convert_amqp_form.h"

#include "broker/doors/amqp/mapping/form_check.h"
#include "broker/doors/common/field_error.h"

namespace wharf {
namespace {

// What does not fit into a byte is no number that AMQP has there.
constexpr std::uint32_t kByteMax = 255;

AmqpForm::Section SectionFromProto(const v1::AmqpForm::Section& proto) {
  return {.descriptor = proto.encoded_descriptor(),
          .code = static_cast<std::uint8_t>(proto.code())};
}

void SectionToProto(const AmqpForm::Section& section, v1::AmqpForm::Section* proto) {
  proto->set_encoded_descriptor(section.descriptor);
  proto->set_code(section.code);
}

bool HasLargeNumber(const v1::AmqpForm& proto) {
  for (const v1::AmqpForm::Field& field : proto.fields()) {
    if (field.place() > kByteMax) return true;
  }
  return proto.properties().code() > kByteMax || proto.application_properties().code() > kByteMax ||
         proto.data().code() > kByteMax || proto.property_count() > kByteMax;
}

}  // namespace

Result<AmqpForm> FromProto(const v1::AmqpForm& proto) {
  if (HasLargeNumber(proto)) return BadValue("amqp_form", "is not AMQP's");
  AmqpForm form{.properties = SectionFromProto(proto.properties()),
                .application_properties = SectionFromProto(proto.application_properties()),
                .data = SectionFromProto(proto.data()),
                .property_count = static_cast<std::uint8_t>(proto.property_count()),
                .fields = {},
                .long_names = {proto.long_names().begin(), proto.long_names().end()},
                .annotations = proto.annotations(),
                .footer = proto.footer()};
  for (const v1::AmqpForm::Field& field : proto.fields()) {
    form.fields.emplace_back(static_cast<AmqpField>(field.place()), field.value());
  }
  WHARF_RETURN_IF_ERROR(amqp::CheckForm(form));
  return form;
}

void ToProto(const AmqpForm& form, v1::AmqpForm* proto) {
  if (!form.properties.is_usual()) SectionToProto(form.properties, proto->mutable_properties());
  if (!form.application_properties.is_usual()) {
    SectionToProto(form.application_properties, proto->mutable_application_properties());
  }
  if (!form.data.is_usual()) SectionToProto(form.data, proto->mutable_data());
  proto->set_property_count(form.property_count);
  for (const auto& [place, encoded] : form.fields) {
    v1::AmqpForm::Field* const field = proto->add_fields();
    field->set_place(static_cast<std::uint32_t>(place));
    field->set_value(encoded);
  }
  for (const std::string& name : form.long_names) proto->add_long_names(name);
  proto->set_annotations(form.annotations);
  proto->set_footer(form.footer);
}

}  // namespace wharf
