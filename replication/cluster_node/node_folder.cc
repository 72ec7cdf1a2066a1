#include "replication/cluster_node/node_folder.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "replication/cluster_node/member_book.h"
#include "replication/cluster_node/state_folder.h"
#include "replication/identity/durable_file.h"
#include "replication/identity/identity_file.h"
#include "storage/apply/catch_up.h"
#include "storage/log/single_folder.h"
#include "storage/rocks/rocks_folder.h"
#include "storage/rocks/rocks_status.h"

namespace wharf {
namespace {

constexpr mode_t kPrivate = 0600;
// Larger than any that is let in.
constexpr std::size_t kInvitationBytesMax = std::size_t{1} << 20;

Status RemoveAll(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (!error) return {};
  return {ErrorCode::kGeneralError, path + " cannot be removed: " + error.message()};
}

// Beside the position.
AppliedIndexRow IndexOf(const RocksStoreOptions& store) { return {.table = store.position->table}; }

Result<std::unique_ptr<RocksStore>> OpenSingleOfBefore(RocksStoreOptions store) {
  store.position.reset();
  return RocksStore::Open(store);
}

Status AppendFirst(SegmentLog& log, const LogEntry& first) {
  const HardState state{.term = first.term, .vote = 0, .commit = first.index};
  WHARF_RETURN_IF_ERROR(log.Append({&first, 1}, state));
  return log.Sync();
}

}  // namespace

Result<std::optional<NodeIdentity>> NodeFolder::Identity(const std::string& name) const {
  return ReadIdentityOf(data_, name);
}

// An invitation that was not taken to its end counts no more.
Status NodeFolder::Found(const NodeIdentity& identity, const LogEntry& first) const {
  WHARF_RETURN_IF_ERROR(RemoveAll(invitation_path()));
  return Become(identity, [&first](SegmentLog& log) { return AppendFirst(log, first); });
}

// The members are there before the identity says that the cluster is founded.
Status NodeFolder::FoundWithData(const NodeIdentity& identity, const std::string& members) const {
  WHARF_RETURN_IF_ERROR(RemoveAll(invitation_path()));
  WHARF_RETURN_IF_ERROR(WriteDurably(founding_path(), members, kPrivate));
  return Become(identity, [](SegmentLog& log) {
    return log.BeginAt(kFounded, {.term = kFounded.term, .commit = kFounded.index});
  });
}

Status NodeFolder::Join(const Invitation& invitation) const {
  WHARF_RETURN_IF_ERROR(WriteDurably(invitation_path(), Encode(invitation), kPrivate));
  return Become(invitation.identity, [](SegmentLog& /*log*/) { return Status(); });
}

Result<std::vector<Member>> NodeFolder::Inviters() const {
  const Result<std::optional<std::string>> bytes =
      ReadSmallFile(invitation_path(), kInvitationBytesMax);
  if (!bytes.ok()) return bytes.status();
  if (!*bytes) return std::vector<Member>();
  Result<Invitation> invitation = DecodeInvitation(**bytes);
  if (!invitation.ok()) return invitation.status();
  return std::move(invitation->members);
}

Status NodeFolder::KeepMembers(const std::string& members) const {
  const Result<std::string> kept = Members();
  if (kept.ok() && *kept == members) return {};
  return WriteDurably(members_path(), members, kPrivate);
}

Result<std::string> NodeFolder::Members() const {
  Result<std::optional<std::string>> bytes = ReadSmallFile(members_path(), kInvitationBytesMax);
  if (!bytes.ok()) return bytes.status();
  return *std::move(bytes) ? **std::move(bytes) : std::string();
}

bool NodeFolder::has_others(const std::string& name) const {
  const Result<std::optional<NodeIdentity>> identity = Identity(name);
  const Result<std::string> members = Members();
  if (!identity.ok() || !*identity || !members.ok()) return false;
  const Result<MemberBook> book = MemberBook::Decode(*members);
  return book.ok() && std::any_of(book->members.begin(), book->members.end(),
                                  [&](const MemberRecord& member) { return member.name != name; });
}

// A log that an identity stands beside may hold votes, and stays.
Status NodeFolder::Become(const NodeIdentity& identity,
                          const std::function<Status(SegmentLog&)>& begin) const {
  const Result<std::optional<NodeIdentity>> before = ReadIdentity(data_);
  if (!before.ok()) return before.status();
  if (*before) {
    return {ErrorCode::kInvalidOperation,
            "the folder belongs to " + (*before)->ToText() + ": start wharfd again"};
  }
  WHARF_RETURN_IF_ERROR(RemoveAll(log_path()));
  const SegmentLogOptions options = OptionsOf(identity);
  WHARF_RETURN_IF_ERROR(SegmentLog::Make(options, {.random = random_}));
  Result<std::unique_ptr<SegmentLog>> log = SegmentLog::Open(options, {.random = random_});
  if (!log.ok()) return log.status();
  WHARF_RETURN_IF_ERROR(begin(**log));
  return WriteIdentity(data_, identity);
}

Result<std::unique_ptr<SegmentLog>> NodeFolder::OpenLog(const NodeIdentity& identity) const {
  return SegmentLog::Open(OptionsOf(identity), {.random = random_});
}

Result<std::string> NodeFolder::Settle(const std::string& name,
                                       const RocksStoreOptions& store) const {
  if (is_recovering()) {
    return Status(ErrorCode::kInvalidOperation,
                  data_ + " is being made a cluster of its own: end that by wharfd recover");
  }
  const Result<std::optional<NodeIdentity>> identity = Identity(name);
  if (!identity.ok()) return identity.status();
  if (*identity) return SettleFor(**identity, store);
  WHARF_RETURN_IF_ERROR(EndFounding(std::nullopt, store));
  return states().path();
}

Result<std::string> NodeFolder::SettleFor(const NodeIdentity& identity,
                                          const RocksStoreOptions& store) const {
  WHARF_RETURN_IF_ERROR(EndFounding(identity, store));
  WHARF_RETURN_IF_ERROR(SettleSnapshot(identity, states()));
  return states().path();
}

bool NodeFolder::is_recovering() const { return std::filesystem::exists(recovery_path()); }

Status NodeFolder::BeginRecovery() const { return WriteDurably(recovery_path(), "", kPrivate); }

Status NodeFolder::ForgetIdentity() const {
  WHARF_RETURN_IF_ERROR(RemoveAll(data_ + "/" + kIdentityFile));
  return FromRocks(SyncFolder(*rocksdb::FileSystem::Default(), data_), "cannot sync " + data_);
}

Status NodeFolder::EndRecovery(const NodeIdentity& identity, const LogPlace& place) const {
  WHARF_RETURN_IF_ERROR(RemoveAll(invitation_path()));
  WHARF_RETURN_IF_ERROR(RemoveAll(members_path()));
  WHARF_RETURN_IF_ERROR(Become(identity, [&place](SegmentLog& log) {
    return log.BeginAt(place, {.term = place.term, .commit = place.index});
  }));
  return RemoveAll(recovery_path());
}

// The log is read only where there is a choice.
Status NodeFolder::SettleSnapshot(const NodeIdentity& identity, const StateFolder& state) const {
  const Result<bool> has_snapshot = state.has_snapshot();
  if (!has_snapshot.ok() || !*has_snapshot) return has_snapshot.status();
  const Result<std::unique_ptr<SegmentLog>> log = OpenLog(identity);
  if (!log.ok()) return log.status();
  return state.Settle((*log)->start());
}

// Without an identity the cluster was not founded, and the broker's data are as they were.
Status NodeFolder::EndFounding(const std::optional<NodeIdentity>& identity,
                               RocksStoreOptions store) const {
  const Result<std::optional<std::string>> members =
      ReadSmallFile(founding_path(), kInvitationBytesMax);
  if (!members.ok()) return members.status();
  if (!*members) return {};
  if (identity) {
    store.path = data_;
    WHARF_RETURN_IF_ERROR(EndSingleLog(store));
    WHARF_RETURN_IF_ERROR(RocksStore::Convert(store, {kFounded.index, kFounded.term, **members}));
    WHARF_RETURN_IF_ERROR(SingleFolder::RemoveLog(store));
  }
  return RemoveAll(founding_path());
}

// It is converted when it becomes a cluster's, or a broker by itself is started with it.
Result<std::unique_ptr<RocksStore>> NodeFolder::OpenSingle(const RocksStoreOptions& store) const {
  if (!SingleFolder::Is(store)) return OpenSingleOfBefore(store);
  Result<SingleFolder> single =
      SingleFolder::Open(store, IndexOf(store), random_, [](RocksStore&) { return WriteBatch(); });
  if (!single.ok()) return single.status();
  const auto caught_up = CatchUp(*single->store, *single->log, *store.position, IndexOf(store));
  if (!caught_up.ok()) return caught_up.status();
  return std::move(single->store);
}

// The state has all of it, and then says that it is a cluster's; what says so has it already.
Status NodeFolder::EndSingleLog(const RocksStoreOptions& store) const {
  if (!SingleFolder::Is(store)) return {};
  Result<SingleFolder> single =
      SingleFolder::Open(store, IndexOf(store), random_, [](RocksStore&) { return WriteBatch(); });
  if (!single.ok()) return single.status();
  const Result<StatePosition> position = store.position->Read(*single->store);
  if (!position.ok()) return position.status();
  if (position->members.empty()) {
    const auto caught_up = CatchUp(*single->store, *single->log, *store.position, IndexOf(store));
    if (!caught_up.ok()) return caught_up.status();
  }
  return single->store->CloseCleanly();
}

SegmentLogOptions NodeFolder::OptionsOf(const NodeIdentity& identity) const {
  return {.path = log_path(),
          .owner = {.cluster = identity.cluster.ToBytes(), .node = identity.node.value()},
          .segment_bytes = segment_bytes_};
}

}  // namespace wharf
