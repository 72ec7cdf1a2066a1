#include "broker/doors/amqp/entities/transactions/control_message.h"

#include "broker/doors/amqp/codec/reader.h"
#include "broker/doors/amqp/message/sections.h"
#include "broker/doors/amqp/types/descriptor.h"

namespace wharf::amqp {
namespace {

constexpr DecodeLimits kControlLimits{};

Status Wrong(std::string_view what) {
  return {ErrorCode::kArgumentError, "a message to the coordinator: " + std::string(what)};
}

}  // namespace

Result<ControlMessage> ReadControlMessage(std::string_view message) {
  const Result<Sections> sections = SplitSections(message, kControlLimits);
  if (!sections.ok()) return sections.status();
  if (sections->body_kind != BodyKind::kValue) return Wrong("its body is no amqp-value");
  Reader reader(sections->body, kControlLimits);
  reader.EnterDescribed();
  ReadDescriptor(reader);
  reader.EnterDescribed();
  const std::uint64_t code = ReadDescriptor(reader);
  if (!reader.ok()) return Wrong(reader.error());
  ControlMessage control;
  if (code == Declare::kDescriptor) {
    ReadFields(reader, control.emplace<Declare>());
  } else if (code == Discharge::kDescriptor) {
    ReadFields(reader, control.emplace<Discharge>());
  } else {
    return Wrong("it is declare or discharge");
  }
  if (!reader.ok()) return Wrong(reader.error());
  return control;
}

}  // namespace wharf::amqp
