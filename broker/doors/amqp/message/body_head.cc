#include "broker/doors/amqp/message/body_head.h"

#include "broker/doors/amqp/codec/format_code.h"
#include "broker/doors/amqp/types/composites.h"
#include "broker/doors/amqp/types/descriptor.h"

namespace wharf::amqp {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kUsual = "\x00\x53\x75\xb0"sv;

Status Untold() {
  return {ErrorCode::kMessageSizeExceeded, "the body does not tell its length beforehand"};
}

bool HasContent(std::uint64_t code, Type type) {
  if (code == descriptor::kData) return type == Type::kBinary;
  return code == descriptor::kAmqpValue && (type == Type::kBinary || type == Type::kString);
}

}  // namespace

Result<std::optional<BodyHead>> ReadBodyHead(std::string_view begin, const DecodeLimits& limits) {
  Reader reader(begin, limits);
  reader.EnterDescribed();
  const std::uint64_t code = ReadDescriptor(reader);
  if (reader.has_run_out()) return std::optional<BodyHead>();
  if (!reader.ok()) return Status(ErrorCode::kArgumentError, reader.error());
  const std::string_view rest = reader.rest();
  if (rest.empty()) return std::optional<BodyHead>();
  const auto format_code = static_cast<std::uint8_t>(rest[0]);
  const std::optional<Type> type = TypeOf(format_code);
  if (!type.has_value() || !HasContent(code, *type)) return Untold();
  const std::size_t width = WidthOf(format_code);
  if (rest.size() <= width) return std::optional<BodyHead>();
  BodyHead head;
  if (code == descriptor::kAmqpValue) head.kind = BodyKind::kValue;
  for (const char byte : rest.substr(1, width)) {
    head.content_bytes = (head.content_bytes << 8) | static_cast<std::uint8_t>(byte);
  }
  head.head_bytes = reader.position() + 1 + width;
  head.is_usual = begin.starts_with(kUsual);
  return std::optional(head);
}

}  // namespace wharf::amqp
