#include "tools/wharf/entities/property_list.h"

#include <memory>

#include "tools/wharf/text/field_text.h"

namespace wharf::tool {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

const FieldDescriptor& FieldOf(const Message& type, std::string_view name) {
  return *type.GetDescriptor()->FindFieldByName(std::string(name));
}

std::string TypeName(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return "true|false";
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return "DURATION";
    case FieldDescriptor::CPPTYPE_INT32:
    case FieldDescriptor::CPPTYPE_INT64:
      return "NUMBER";
    case FieldDescriptor::CPPTYPE_ENUM:
      return WordsOf(field);
    default:
      return "TEXT";
  }
}

}  // namespace

void AddPropertyOptions(CLI::App& command, const Message& type,
                        std::span<const PropertyHelp> properties, bool is_creation,
                        GivenProperties& given) {
  for (const PropertyHelp& property : properties) {
    const std::string name(property.field);
    const FieldDescriptor& field = FieldOf(type, name);
    const auto give = [&given, &field, name,
                       scratch = std::shared_ptr<Message>(type.New())](const std::string& text) {
      const Status status = SetFieldFromText(*scratch, field, text);
      if (!status.ok()) throw CLI::ValidationError("--" + ToOptionName(name), status.message());
      given[name] = text;
    };
    const bool is_refused = property.is_fixed && !is_creation;
    command
        .add_option_function<std::string>(
            "--" + ToOptionName(name), give,
            std::string(property.help) + (is_refused ? "; fixed at creation" : ""))
        ->type_name(TypeName(field));
  }
}

void Apply(const GivenProperties& given, Message& entity) {
  for (const auto& [name, text] : given) {
    const Status status = SetFieldFromText(entity, FieldOf(entity, name), text);
    if (!status.ok()) throw CLI::ValidationError(name, status.message());
  }
}

void AddTo(google::protobuf::FieldMask& mask, const GivenProperties& given) {
  for (const auto& [name, text] : given) mask.add_paths(name);
}

ExitCode FailWithoutProperties(Program& program) {
  return program.FailUsage({ErrorCode::kArgumentError, "give a property to change, or --reset"});
}

void KeepFixedProperties(std::span<const PropertyHelp> properties, const Message& from,
                         Message& to) {
  for (const PropertyHelp& property : properties) {
    if (!property.is_fixed) continue;
    const FieldDescriptor& field = FieldOf(from, property.field);
    to.GetReflection()->SetBool(&to, &field, from.GetReflection()->GetBool(from, &field));
  }
}

}  // namespace wharf::tool
