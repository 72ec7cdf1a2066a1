// How to receive: mode, time to wait, credit.

#include <algorithm>
#include <limits>

#include "broker/doors/common/field_error.h"
#include "broker/doors/grpc/convert/convert.h"

namespace wharf {

Result<ReceiveMode> FromProto(v1::ReceiveMode mode) {
  switch (mode) {
    case v1::RECEIVE_MODE_PEEK_LOCK:
      return ReceiveMode::kPeekLock;
    case v1::RECEIVE_MODE_RECEIVE_AND_DELETE:
      return ReceiveMode::kReceiveAndDelete;
    default:
      return BadValue("mode", "is unknown");
  }
}

Result<Duration> WaitFromProto(const google::protobuf::Duration& proto) {
  return DurationFromProto("max_wait", proto);
}

Credit FromProto(const v1::ReceiveCredit& proto) {
  Credit credit;
  credit.messages = proto.messages();
  if (proto.has_bytes()) credit.bytes = proto.bytes();
  return credit;
}

void ToProto(const Credit& credit, v1::ReceiveCredit* proto) {
  proto->set_messages(static_cast<std::uint32_t>(
      std::min<std::uint64_t>(credit.messages, std::numeric_limits<std::uint32_t>::max())));
  if (credit.bytes) proto->set_bytes(*credit.bytes);
}

}  // namespace wharf
