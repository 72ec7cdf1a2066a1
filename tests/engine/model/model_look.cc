#include "tests/engine/model/model_look.h"

#include <fmt/core.h>

namespace wharf {
namespace {

std::string TextOf(const PropertyValue& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  return number != nullptr ? fmt::format("{}", *number) : std::get<std::string>(value);
}

std::string TextOf(const std::map<std::string, std::string>& properties) {
  std::string text;
  for (const auto& [name, value] : properties) text += fmt::format("{}={} ", name, value);
  return text;
}

bool Agree(const std::map<std::string, std::string>& properties,
           const std::map<std::string, std::string>& expected) {
  return std::equal(properties.begin(), properties.end(), expected.begin(), expected.end(),
                    [](const auto& a, const auto& b) {
                      return a.first == b.first && (b.second == kSomeText || a.second == b.second);
                    });
}

std::string TextOf(Timestamp time) {
  return time == kNever ? "never" : fmt::format("{}", time.time_since_epoch().count());
}

std::string Differs(const char* what, const std::string& is, const std::string& expected) {
  return is == expected ? std::string() : fmt::format("{} is {}, not {}; ", what, is, expected);
}

}  // namespace

std::map<std::string, std::string> PropertiesOf(const StoredMessage& message,
                                                const Delivery& delivery) {
  std::map<std::string, std::string> properties;
  for (const auto& [name, value] : message.message.application_properties) {
    properties[name] = TextOf(value);
  }
  if (!delivery.changed_properties) return properties;
  for (const auto& [name, value] : *delivery.changed_properties) properties[name] = TextOf(value);
  return properties;
}

std::string DifferenceOf(const StoredMessage& message, const Delivery& delivery,
                         const ModelMessage& expected) {
  const auto properties = PropertiesOf(message, delivery);
  std::string wrong;
  wrong += Differs("its body", message.message.body.substr(0, 20), expected.body.substr(0, 20));
  if (wrong.empty() && message.message.body != expected.body) wrong += "its body is another; ";
  wrong += Differs("its delivery count", fmt::format("{}", delivery.count),
                   fmt::format("{}", expected.delivery_count));
  if (!Agree(properties, expected.properties)) {
    wrong += Differs("its properties", TextOf(properties), TextOf(expected.properties));
  }
  wrong += Differs("its expiry", TextOf(message.facts.expires_at), TextOf(expected.expires_at));
  wrong += Differs("its time", TextOf(message.enqueued_at), TextOf(expected.enqueued_at));
  wrong += Differs("its first number", fmt::format("{}", message.enqueued_number.value()),
                   fmt::format("{}", expected.enqueued_number));
  wrong += Differs("its source", message.dead_letter_source, expected.dead_letter_source);
  wrong += Differs("its hops", fmt::format("{}", message.hops), fmt::format("{}", expected.hops));
  wrong += Differs("its id", message.message.message_id.value_or("none"),
                   expected.message_id.value_or("none"));
  return wrong;
}

}  // namespace wharf
