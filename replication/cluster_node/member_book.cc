#include "replication/cluster_node/member_book.h"

#include <algorithm>
#include <utility>

#include "replication/peers/fields.h"

namespace wharf {
namespace {

constexpr char kVersion = 1;

enum Tag : std::uint8_t { kConfiguration = 1, kMember = 2, kLevel = 3 };
enum MemberTag : std::uint8_t {
  kNode = 1,
  kName = 2,
  kPeerAddress = 3,
  kClientAddress = 4,
  kRaisesLevelTo = 5,
  kToldAddress = 6
};

Status Unreadable(const char* what) {
  return Status::Damage(std::string(what) + " of the cluster cannot be read");
}

}  // namespace

MemberRecord MemberRecord::WithToldAddress(std::string address) const {
  MemberRecord next = *this;
  next.client_address = std::move(address);
  next.told_address.clear();
  return next;
}

MemberRecord MemberRecord::WithSetAddress(std::string address) const {
  MemberRecord next = *this;
  if (next.told_address.empty()) next.told_address = next.client_address;
  next.client_address = std::move(address);
  if (next.told_address == next.client_address) next.told_address.clear();
  return next;
}

std::string MemberRecord::Encode() const {
  FieldWriter writer;
  writer.Number(kNode, node)
      .Text(kName, name)
      .Text(kPeerAddress, peer_address)
      .Text(kClientAddress, client_address);
  if (raises_level_to != 0) writer.Number(kRaisesLevelTo, raises_level_to);
  if (!told_address.empty()) writer.Text(kToldAddress, told_address);
  return writer.Take();
}

Result<MemberRecord> MemberRecord::Decode(std::string_view bytes) {
  MemberRecord record;
  const bool is_whole = VisitFields(bytes, [&record](std::uint8_t tag, std::string_view value) {
    if (tag == kNode) record.node = NumberIn(value);
    if (tag == kName) record.name = value;
    if (tag == kPeerAddress) record.peer_address = value;
    if (tag == kClientAddress) record.client_address = value;
    if (tag == kRaisesLevelTo) record.raises_level_to = NumberIn(value);
    if (tag == kToldAddress) record.told_address = value;
  });
  if (!is_whole || record.node == 0 || record.name.empty()) return Unreadable("a member");
  return record;
}

std::string MemberBook::Encode() const {
  FieldWriter writer;
  writer.Text(kConfiguration, configuration);
  for (const MemberRecord& member : members) writer.Text(kMember, member.Encode());
  // As an older version writes it, where that one may be a member.
  if (level > kFirstFormatLevel) writer.Number(kLevel, level);
  return kVersion + writer.Take();
}

Result<MemberBook> MemberBook::Decode(std::string_view bytes) {
  MemberBook book;
  if (bytes.empty()) return book;
  Status failed;
  const auto take = [&](std::uint8_t tag, std::string_view value) {
    if (tag == kConfiguration) book.configuration = value;
    if (tag == kLevel) book.level = NumberIn(value);
    if (tag != kMember) return;
    Result<MemberRecord> member = MemberRecord::Decode(value);
    if (member.ok()) return book.members.push_back(*std::move(member));
    failed = member.status();
  };
  if (bytes.front() != kVersion || !VisitFields(bytes.substr(1), take)) {
    return Unreadable("the members");
  }
  WHARF_RETURN_IF_ERROR(failed);
  return book;
}

Result<MemberBook> MemberBook::After(const MemberChange& change,
                                     std::string next_configuration) const {
  MemberBook next = *this;
  next.configuration = std::move(next_configuration);
  std::erase_if(next.members,
                [&change](const MemberRecord& member) { return member.node == change.node; });
  if (change.kind == MemberChange::Kind::kRemove) return next;
  Result<MemberRecord> member = MemberRecord::Decode(change.context);
  if (!member.ok()) return member.status();
  next.level = std::max(next.level, std::exchange(member->raises_level_to, 0));
  const auto at =
      std::find_if(next.members.begin(), next.members.end(),
                   [&member](const MemberRecord& other) { return other.node > member->node; });
  next.members.insert(at, *std::move(member));
  return next;
}

const MemberRecord* MemberBook::Find(RaftId node) const {
  const auto found =
      std::find_if(members.begin(), members.end(),
                   [node](const MemberRecord& member) { return member.node == node; });
  return found == members.end() ? nullptr : &*found;
}

const MemberRecord* MemberBook::FindName(std::string_view name) const {
  const auto found =
      std::find_if(members.begin(), members.end(),
                   [name](const MemberRecord& member) { return member.name == name; });
  return found == members.end() ? nullptr : &*found;
}

Result<std::string> BookBehind(const RaftLibrary& library, const std::string& before,
                               const LogEntry& change, const std::string& next_configuration) {
  const Result<MemberBook> book = MemberBook::Decode(before);
  if (!book.ok()) return book.status();
  const Result<MemberChange> said = library.DecodeMemberChange(change.data);
  if (!said.ok()) return said.status();
  const Result<MemberBook> next = book->After(*said, next_configuration);
  if (!next.ok()) return next.status();
  return next->Encode();
}

}  // namespace wharf
