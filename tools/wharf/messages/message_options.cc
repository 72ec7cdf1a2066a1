#include "tools/wharf/messages/message_options.h"

#include <string>
#include <vector>

#include "tools/wharf/text/field_text.h"
#include "tools/wharf/text/property_text.h"

namespace wharf::tool {
namespace {

struct MessageOption {
  const char* field;
  const char* type;
  const char* help;
};

constexpr MessageOption kOptions[] = {
    {"message_id", "TEXT", "The application's id of the message; the key of duplicate detection"},
    {"correlation_id", "TEXT", "Usually the message id of the request this replies to"},
    {"content_type", "TEXT", "MIME type of the body, e.g. application/json"},
    {"subject", "TEXT", "The purpose of the message"},
    {"to", "TEXT", "Carried, not interpreted"},
    {"reply_to", "TEXT", "Where the sender expects replies"},
    {"reply_to_session_id", "TEXT", "The session id that a reply shall carry"},
    {"session_id", "TEXT", "The session of the message, at most 128 characters"},
    {"partition_key", "TEXT", "Equal keys go to the same partition, at most 128 characters"},
    {"time_to_live", "DURATION", "How long the message lives; default: as the queue says"},
    {"scheduled_enqueue_time", "TIME", "When it becomes available, e.g. 2026-01-31T12:00:00Z"},
    {"content_encoding", "TEXT", "Carried, not interpreted"},
    {"priority", "NUMBER", "9 first, default 4, on a queue with priorities; plain data elsewhere"},
};

}  // namespace

void AddMessageOptions(CLI::App& command, v1::Message& message) {
  for (const MessageOption& option : kOptions) {
    const auto* field = v1::Message::descriptor()->FindFieldByName(option.field);
    const std::string name = "--" + ToOptionName(option.field);
    const auto set = [&message, field, name](const std::string& text) {
      const Status status = SetFieldFromText(message, *field, text);
      if (!status.ok()) throw CLI::ValidationError(name, status.message());
    };
    command.add_option_function<std::string>(name, set, option.help)->type_name(option.type);
  }
  AddPropertyOption(command,
                    "An application property, e.g. color=red, count:int32=5 or age:timespan=1h30m; "
                    "repeatable",
                    *message.mutable_application_properties());
}

CLI::Option* AddPropertyOption(CLI::App& command, const std::string& help,
                               google::protobuf::Map<std::string, v1::PropertyValue>& properties,
                               const std::string& name) {
  const auto add = [&properties, name](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      const Result<NamedProperty> property = ParseNamedProperty(text);
      if (!property.ok()) throw CLI::ValidationError(name, property.status().message());
      properties[property->name] = property->value;
    }
  };
  return command.add_option_function<std::vector<std::string>>(name, add, help)
      ->type_name("NAME[:TYPE]=VALUE")
      ->type_size(1)
      ->allow_extra_args(false);
}

}  // namespace wharf::tool
