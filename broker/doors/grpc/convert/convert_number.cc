// Messages that are named by their numbers, and which of them to look at.

#include "broker/doors/common/field_error.h"
#include "broker/doors/grpc/convert/convert.h"

namespace wharf {

Result<SequenceNumber> NumberFromProto(std::string_view field, std::int64_t proto) {
  if (proto < 0) return OutOfRange(field, "is negative");
  return SequenceNumber(static_cast<std::uint64_t>(proto));
}

Result<std::vector<SequenceNumber>> NumbersFromProto(
    const google::protobuf::RepeatedField<std::int64_t>& protos) {
  std::vector<SequenceNumber> numbers;
  numbers.reserve(static_cast<std::size_t>(protos.size()));
  for (const std::int64_t proto : protos) {
    const Result<SequenceNumber> number = NumberFromProto("one of sequence_numbers", proto);
    if (!number.ok()) return number.status();
    numbers.push_back(*number);
  }
  return numbers;
}

Result<PeekFilter> FromProto(v1::PeekFilter filter) {
  switch (filter) {
    case v1::PEEK_FILTER_ALL:
      return PeekFilter::kAll;
    case v1::PEEK_FILTER_ACTIVE:
      return PeekFilter::kActive;
    case v1::PEEK_FILTER_DELAYED:
      return PeekFilter::kDelayed;
    case v1::PEEK_FILTER_DEFERRED:
      return PeekFilter::kDeferred;
    case v1::PEEK_FILTER_SCHEDULED:
      return PeekFilter::kScheduled;
    case v1::PEEK_FILTER_QUARANTINED:
      return PeekFilter::kQuarantined;
    default:
      return BadValue("filter", "is unknown");
  }
}

}  // namespace wharf
