// What is to be done with messages: settlements and lock tokens.

#include <utility>

#include "broker/doors/common/field_error.h"
#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/convert/convert_properties.h"
#include "broker/doors/grpc/convert/convert_time.h"

namespace wharf {
namespace {

// How long an abandoned message rests (RTY-1).
Status DelayFromProto(const v1::Abandon& abandon, Settlement& settlement) {
  if (abandon.has_delay()) {
    const Result<Duration> delay = DurationFromProto("delay", abandon.delay());
    if (!delay.ok()) return delay.status();
    settlement.delay = *delay;
  }
  if (abandon.has_available_at()) {
    const Result<Timestamp> time = TimeFromProto("available_at", abandon.available_at());
    if (!time.ok()) return time.status();
    settlement.delay_until = *time;
  }
  return {};
}

Status ModifyFromProto(const ProtoProperties& properties, Settlement& settlement) {
  Result<PropertyMap> converted = PropertiesFromProto(properties);
  if (!converted.ok()) return converted.status();
  settlement.properties_to_modify = *std::move(converted);
  return {};
}

Status DeadLetterFromProto(const v1::DeadLetter& proto, Settlement& settlement) {
  settlement.verb = SettleVerb::kDeadLetter;
  if (proto.has_reason()) settlement.reason = proto.reason();
  if (proto.has_description()) settlement.description = proto.description();
  return ModifyFromProto(proto.properties_to_modify(), settlement);
}

}  // namespace

Result<Settlement> FromProto(const v1::Settlement& proto) {
  Settlement settlement;
  switch (proto.verb_case()) {
    case v1::Settlement::kComplete:
      settlement.verb = SettleVerb::kComplete;
      break;
    case v1::Settlement::kAbandon:
      settlement.verb = SettleVerb::kAbandon;
      WHARF_RETURN_IF_ERROR(DelayFromProto(proto.abandon(), settlement));
      WHARF_RETURN_IF_ERROR(ModifyFromProto(proto.abandon().properties_to_modify(), settlement));
      break;
    case v1::Settlement::kDefer:
      settlement.verb = SettleVerb::kDefer;
      WHARF_RETURN_IF_ERROR(ModifyFromProto(proto.defer().properties_to_modify(), settlement));
      break;
    case v1::Settlement::kDeadLetter:
      WHARF_RETURN_IF_ERROR(DeadLetterFromProto(proto.dead_letter(), settlement));
      break;
    case v1::Settlement::kRelease:
      settlement.verb = SettleVerb::kRelease;
      break;
    case v1::Settlement::VERB_NOT_SET:
      return BadValue("settlement",
                      "has no verb: complete, abandon, defer, dead_letter or release");
  }
  return settlement;
}

Result<Settlement> FromProto(const v1::SettleBySequenceNumberRequest& proto) {
  Settlement settlement;
  switch (proto.verb_case()) {
    case v1::SettleBySequenceNumberRequest::kComplete:
      break;
    case v1::SettleBySequenceNumberRequest::kDeadLetter:
      WHARF_RETURN_IF_ERROR(DeadLetterFromProto(proto.dead_letter(), settlement));
      break;
    case v1::SettleBySequenceNumberRequest::VERB_NOT_SET:
      return BadValue("the request", "has no verb: complete or dead_letter");
  }
  return settlement;
}

TokenList TokensFromProto(const google::protobuf::RepeatedPtrField<std::string>& protos) {
  TokenList tokens;
  tokens.reserve(static_cast<std::size_t>(protos.size()));
  for (const std::string& bytes : protos) {
    if (bytes.size() == LockToken::kSize) {
      tokens.emplace_back(LockToken::FromBytes(bytes));
    } else if (bytes.empty()) {
      tokens.emplace_back(Status(ErrorCode::kInvalidOperation,
                                 "there is no lock token: a peeked message cannot be settled"));
    } else {
      tokens.emplace_back(Status(ErrorCode::kArgumentError, "a lock token has 16 bytes"));
    }
  }
  return tokens;
}

}  // namespace wharf
