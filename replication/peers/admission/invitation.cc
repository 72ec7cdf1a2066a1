#include "replication/peers/admission/invitation.h"

#include <algorithm>
#include <utility>

#include "replication/peers/fields.h"

namespace wharf {
namespace {

enum Tag : std::uint8_t {
  kProtocol = 1,
  kOldestProtocol = 2,
  kFromName = 3,
  kCluster = 4,
  kNode = 5,
  kName = 6,
  kLevel = 7,
  kMember = 8,
};

enum MemberTag : std::uint8_t { kMemberNode = 1, kMemberName = 2, kMemberAddress = 3 };

bool IsWhole(const Member& member) {
  return member.node != NodeId() && CheckNodeName(member.name).ok() &&
         !member.peer_address.empty() && member.peer_address.size() <= kPeerAddressBytesMax;
}

// One that is not whole has no id.
Member MemberIn(std::string_view bytes) {
  Member member;
  const bool is_fields = VisitFields(bytes, [&member](std::uint8_t tag, std::string_view value) {
    if (tag == kMemberNode) member.node = NodeId(NumberIn(value));
    if (tag == kMemberName) member.name = value;
    if (tag == kMemberAddress) member.peer_address = value;
  });
  return is_fields && IsWhole(member) ? member : Member();
}

void TakeField(Invitation& invitation, std::uint8_t tag, std::string_view value) {
  switch (tag) {
    case kProtocol:
      invitation.protocol = NumberIn(value);
      break;
    case kOldestProtocol:
      invitation.oldest_protocol = NumberIn(value);
      break;
    case kFromName:
      invitation.from_name = value;
      break;
    case kCluster:
      invitation.identity.cluster = ClusterId::FromBytes(value).value_or(ClusterId());
      break;
    case kNode:
      invitation.identity.node = NodeId(NumberIn(value));
      break;
    case kName:
      invitation.identity.name = value;
      break;
    case kLevel:
      invitation.level = NumberIn(value);
      break;
    // One more than allowed is enough to refuse them all.
    case kMember:
      if (invitation.members.size() <= kPeersMax) invitation.members.push_back(MemberIn(value));
      break;
    default:
      break;
  }
}

bool IsSpoken(const Invitation& invitation) { return invitation.oldest_protocol <= kPeerProtocol; }

bool IsWhole(const Invitation& invitation) {
  const auto& members = invitation.members;
  return CheckNodeName(invitation.from_name).ok() && !invitation.identity.cluster.is_zero() &&
         invitation.identity.node != NodeId() && CheckNodeName(invitation.identity.name).ok() &&
         invitation.level != 0 && members.size() <= kPeersMax &&
         std::all_of(members.begin(), members.end(), [](const Member& m) { return IsWhole(m); });
}

std::string Encode(const Member& member) {
  return FieldWriter()
      .Number(kMemberNode, member.node.value())
      .Text(kMemberName, member.name)
      .Text(kMemberAddress, member.peer_address)
      .Take();
}

}  // namespace

std::string Encode(const Invitation& invitation) {
  FieldWriter writer;
  writer.Number(kProtocol, invitation.protocol)
      .Number(kOldestProtocol, invitation.oldest_protocol)
      .Text(kFromName, invitation.from_name)
      .Text(kCluster, invitation.identity.cluster.ToBytes())
      .Number(kNode, invitation.identity.node.value())
      .Text(kName, invitation.identity.name)
      .Number(kLevel, invitation.level);
  for (const Member& member : invitation.members) writer.Text(kMember, Encode(member));
  return writer.Take();
}

Result<Invitation> DecodeInvitation(std::string_view bytes) {
  Invitation invitation{.protocol = 0, .oldest_protocol = 0, .level = 0};
  const bool is_fields =
      VisitFields(bytes, [&invitation](std::uint8_t tag, std::string_view value) {
        TakeField(invitation, tag, value);
      });
  const bool has_protocol = invitation.protocol != 0 && invitation.oldest_protocol != 0 &&
                            invitation.oldest_protocol <= invitation.protocol;
  if (is_fields && has_protocol && !IsSpoken(invitation)) {
    return Invitation{.protocol = invitation.protocol,
                      .oldest_protocol = invitation.oldest_protocol};
  }
  if (is_fields && has_protocol && IsWhole(invitation)) return invitation;
  return Status(ErrorCode::kServiceCommunicationProblem, "the invitation cannot be read");
}

}  // namespace wharf
