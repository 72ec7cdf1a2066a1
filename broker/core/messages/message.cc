#include "broker/core/messages/message.h"

#include <string_view>

#include <fmt/core.h>

#include "broker/core/messages/text.h"

namespace wharf {
namespace {

constexpr std::size_t kPropertyBytesMax = 32 * 1024;
constexpr std::size_t kPropertiesBytesMax = 64 * 1024;
constexpr std::size_t kIdCharactersMax = 128;

std::size_t SizeOf(const std::optional<std::string>& text) { return text ? text->size() : 0; }

Status CheckId(std::string_view name, const std::optional<std::string>& id) {
  if (!id || id->size() <= kIdCharactersMax || CharactersIn(*id) <= kIdCharactersMax) return {};
  return {ErrorCode::kArgumentError,
          fmt::format("{} is longer than {} characters", name, kIdCharactersMax)};
}

std::size_t SizeOf(const CarriedProperties& carried) {
  constexpr std::size_t kFixed = 32;
  return kFixed + SizeOf(carried.content_encoding) + SizeOf(carried.user_id) +
         SizeOf(carried.annotations) + SizeOf(carried.footer);
}

}  // namespace

std::int64_t PropertiesSizeOf(const Message& message) {
  std::size_t size = SizeOf(message.message_id) + SizeOf(message.correlation_id) +
                     SizeOf(message.content_type) + SizeOf(message.subject) + SizeOf(message.to) +
                     SizeOf(message.reply_to) + SizeOf(message.reply_to_session_id) +
                     SizeOf(message.session_id) + SizeOf(message.partition_key) +
                     SizeOf(message.via_partition_key) + SizeOf(message.application_properties);
  if (message.carried) size += SizeOf(*message.carried);
  if (message.amqp_form) size += SizeOf(*message.amqp_form);
  return static_cast<std::int64_t>(size);
}

std::int64_t SizeOf(const Message& message) {
  return PropertiesSizeOf(message) + static_cast<std::int64_t>(message.body.size());
}

std::int64_t StoredSizeOf(const StoredMessage& stored) {
  const auto& body_ref = stored.facts.body_ref;
  const std::int64_t body =
      static_cast<std::int64_t>(body_ref ? body_ref->size : stored.message.body.size());
  return PropertiesSizeOf(stored.message) + body;
}

Status CheckProperties(const PropertyMap& properties) {
  for (const auto& property : properties) {
    if (SizeOf(property) > kPropertyBytesMax) {
      return {ErrorCode::kArgumentError,
              fmt::format("the application property '{:.64}' is larger than {} bytes",
                          property.first, kPropertyBytesMax)};
    }
  }
  if (SizeOf(properties) > kPropertiesBytesMax) {
    return {ErrorCode::kMessageSizeExceeded,
            fmt::format("the properties are larger than {} bytes together", kPropertiesBytesMax)};
  }
  return {};
}

Status CheckMessage(const Message& message) {
  WHARF_RETURN_IF_ERROR(CheckId("message_id", message.message_id));
  WHARF_RETURN_IF_ERROR(CheckId("session_id", message.session_id));
  WHARF_RETURN_IF_ERROR(CheckId("reply_to_session_id", message.reply_to_session_id));
  WHARF_RETURN_IF_ERROR(CheckId("partition_key", message.partition_key));
  WHARF_RETURN_IF_ERROR(CheckId("via_partition_key", message.via_partition_key));
  if (message.session_id && message.partition_key && !message.session_id->empty() &&
      *message.session_id != *message.partition_key) {
    return {ErrorCode::kInvalidOperation,
            "partition_key and session_id must be equal when both are set"};
  }
  if (message.time_to_live && *message.time_to_live <= Duration(0)) {
    return {ErrorCode::kArgumentError, "time_to_live must be more than zero"};
  }
  WHARF_RETURN_IF_ERROR(CheckProperties(message.application_properties));
  if (PropertiesSizeOf(message) > static_cast<std::int64_t>(kPropertiesBytesMax)) {
    return {ErrorCode::kMessageSizeExceeded,
            fmt::format("the message's properties are larger than {} bytes together",
                        kPropertiesBytesMax)};
  }
  return {};
}

}  // namespace wharf
