#include "replication/peers/admission/hello.h"

#include "replication/peers/fields.h"
#include "replication/peers/member.h"

namespace wharf {
namespace {

enum Tag : std::uint8_t {
  kProtocol = 1,
  kOldestProtocol = 2,
  kCluster = 3,
  kFrom = 4,
  kFromName = 5,
  kTo = 6,
  kToName = 7,
  kLevel = 8,
  kHighestLevel = 9,
  kIncarnation = 10,
  kTraffic = 11,
  kPeerAddress = 12,
  kAsOf = 13,
};

void TakeField(Hello& hello, std::uint8_t tag, std::string_view value) {
  switch (tag) {
    case kProtocol:
      hello.protocol = NumberIn(value);
      break;
    case kOldestProtocol:
      hello.oldest_protocol = NumberIn(value);
      break;
    case kCluster:
      hello.from.cluster = ClusterId::FromBytes(value).value_or(ClusterId());
      break;
    case kFrom:
      hello.from.node = NodeId(NumberIn(value));
      break;
    case kFromName:
      hello.from.name = value;
      break;
    case kTo:
      hello.to = NodeId(NumberIn(value));
      break;
    case kToName:
      hello.to_name = value;
      break;
    case kLevel:
      hello.levels.in_force = NumberIn(value);
      break;
    case kHighestLevel:
      hello.levels.highest = NumberIn(value);
      break;
    case kIncarnation:
      hello.incarnation = Incarnation(NumberIn(value));
      break;
    case kTraffic:
      hello.traffic = static_cast<Traffic>(NumberIn(value) == 2 ? 2 : 1);
      break;
    case kPeerAddress:
      hello.peer_address = value;
      break;
    case kAsOf:
      hello.as_of = NumberIn(value);
      break;
    default:
      break;
  }
}

bool IsSpoken(const Hello& hello) { return hello.oldest_protocol <= kPeerProtocol; }

bool IsWhole(const Hello& hello) {
  return !hello.from.cluster.is_zero() && hello.from.node != NodeId() && hello.to != NodeId() &&
         CheckNodeName(hello.from.name).ok() && CheckNodeName(hello.to_name).ok() &&
         hello.levels.in_force != 0 && hello.levels.highest >= hello.levels.in_force &&
         hello.incarnation != Incarnation() && hello.peer_address.size() <= kPeerAddressBytesMax;
}

}  // namespace

std::string Encode(const Hello& hello) {
  FieldWriter writer;
  writer.Number(kProtocol, hello.protocol)
      .Number(kOldestProtocol, hello.oldest_protocol)
      .Text(kCluster, hello.from.cluster.ToBytes())
      .Number(kFrom, hello.from.node.value())
      .Text(kFromName, hello.from.name)
      .Number(kTo, hello.to.value())
      .Text(kToName, hello.to_name)
      .Number(kLevel, hello.levels.in_force)
      .Number(kHighestLevel, hello.levels.highest)
      .Number(kIncarnation, hello.incarnation.value())
      .Number(kTraffic, static_cast<std::uint64_t>(hello.traffic));
  if (!hello.peer_address.empty()) writer.Text(kPeerAddress, hello.peer_address);
  if (hello.as_of != 0) writer.Number(kAsOf, hello.as_of);
  return writer.Take();
}

Result<Hello> DecodeHello(std::string_view bytes) {
  Hello hello{.protocol = 0, .oldest_protocol = 0, .levels = {.in_force = 0, .highest = 0}};
  const bool is_fields = VisitFields(
      bytes, [&hello](std::uint8_t tag, std::string_view value) { TakeField(hello, tag, value); });
  const bool has_protocol =
      hello.protocol != 0 && hello.oldest_protocol != 0 && hello.oldest_protocol <= hello.protocol;
  if (is_fields && has_protocol && !IsSpoken(hello)) {
    return Hello{.protocol = hello.protocol, .oldest_protocol = hello.oldest_protocol};
  }
  if (is_fields && has_protocol && IsWhole(hello)) return hello;
  return Status(ErrorCode::kServiceCommunicationProblem, "what it says of itself cannot be read");
}

}  // namespace wharf
