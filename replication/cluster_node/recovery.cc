#include "replication/cluster_node/recovery.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "replication/cluster_node/rocks_replica_store.h"
#include "storage/apply/batch_applier.h"

namespace wharf {
namespace {

constexpr std::size_t kAppliedAtOnceBytes = std::size_t{8} << 20;

// Names and addresses are read from the log, too; who counts is decided anew afterwards.
class Addresses final : public MemberKeeper {
 public:
  explicit Addresses(const RaftLibrary& library) : library_(library) {}
  Result<std::string> After(const std::string& before, const LogEntry& change,
                            const std::string& configuration) override {
    return BookBehind(library_, before, change, configuration);
  }
  void OnMembers(const std::string& /*members*/) override {}

 private:
  const RaftLibrary& library_;
};

bool IsChange(const LogEntry& entry) {
  return entry.kind == EntryKind::kMember && !entry.data.empty();
}

CommittedEntry CommittedOf(LogEntry entry) {
  const bool is_change = IsChange(entry);
  return {std::move(entry), is_change ? std::optional(std::string()) : std::nullopt};
}

Status IsNoNode(const std::string& data) {
  return {ErrorCode::kInvalidOperation, data + " belongs to no node of a cluster"};
}

}  // namespace

Result<Recovery::Survivor> Recovery::Look() const {
  const Result<std::optional<NodeIdentity>> identity = folder_.Identity(world_.name);
  if (!identity.ok()) return identity.status();
  if (!*identity) {
    if (!folder_.is_recovering()) return IsNoNode(world_.data);
    return Status(ErrorCode::kInvalidOperation, "a recovery was begun here: end it");
  }
  const Result<Opened> opened = Open(**identity);
  if (!opened.ok()) return opened.status();
  const Result<MemberBook> book = Members(*opened);
  if (!book.ok()) return book.status();
  const std::uint64_t last = opened->log->last_index();
  Survivor survivor{**identity,
                    {last, opened->log->TermOf(last)},
                    {opened->position.index, opened->position.term}};
  for (const MemberRecord& member : book->members) survivor.members.push_back(member.name);
  std::sort(survivor.members.begin(), survivor.members.end());
  return survivor;
}

Result<MemberBook> Recovery::Members(const Opened& opened) const {
  std::string members = opened.position.members;
  const std::uint64_t end = opened.log->last_index() + 1;
  for (std::uint64_t next = opened.position.index + 1; next < end;) {
    const Result<std::vector<LogEntry>> read = opened.log->Read(next, end, kAppliedAtOnceBytes);
    if (!read.ok()) return read.status();
    next = read->back().index + 1;
    for (const LogEntry& entry : *read) {
      if (!IsChange(entry)) continue;
      Result<std::string> behind = BookBehind(world_.library, members, entry, {});
      if (!behind.ok()) return behind.status();
      members = *std::move(behind);
    }
  }
  return MemberBook::Decode(members);
}

// The identity goes when the state needs its log no more, and comes back as another one's.
Result<ClusterId> Recovery::Recover() const {
  const Result<std::optional<NodeIdentity>> identity = folder_.Identity(world_.name);
  if (!identity.ok()) return identity.status();
  if (!*identity && !folder_.is_recovering()) return IsNoNode(world_.data);
  Status done = folder_.BeginRecovery();
  if (done.ok() && *identity) done = TakeWholeLog(**identity);
  if (done.ok() && *identity) done = folder_.ForgetIdentity();
  if (!done.ok()) return done;
  return Refound();
}

// One that is not there would be made without a row.
Result<std::unique_ptr<RocksStore>> Recovery::OpenStore() const {
  WHARF_RETURN_IF_ERROR(folder_.states().CheckState());
  Result<std::string> path = folder_.states().path();
  if (!path.ok()) return path.status();
  RocksStoreOptions options = world_.store;
  options.path = *std::move(path);
  return RocksStore::Open(options);
}

// A node that runs has its store open, and nothing is settled under it.
Result<Recovery::Opened> Recovery::Open(const NodeIdentity& identity) const {
  if (const auto is_free = OpenStore(); !is_free.ok()) return is_free.status();
  const Result<std::string> settled = folder_.SettleFor(identity, world_.store);
  if (!settled.ok()) return settled.status();
  Result<std::unique_ptr<SegmentLog>> log = folder_.OpenLog(identity);
  if (!log.ok()) return log.status();
  Result<std::unique_ptr<RocksStore>> store = OpenStore();
  if (!store.ok()) return store.status();
  Result<StatePosition> position = world_.store.position->Read(**store);
  if (!position.ok()) return position.status();
  const bool fits =
      position->index >= (*log)->start().index && position->index <= (*log)->last_index();
  if (!fits) return Status::Damage("the state and the log in " + world_.data + " do not fit");
  return Opened{*std::move(log), *std::move(store), *std::move(position)};
}

Status Recovery::TakeWholeLog(const NodeIdentity& identity) const {
  Result<Opened> opened = Open(identity);
  if (!opened.ok()) return opened.status();
  WHARF_RETURN_IF_ERROR(ApplyAll(*opened));
  WHARF_RETURN_IF_ERROR(BeOnlyMember(*opened));
  return opened->store->CloseCleanly();
}

// As it was applied while the node ran: what a later term made void is void here, too.
Status Recovery::ApplyAll(Opened& opened) const {
  RocksReplicaStore state(*opened.store, *world_.store.position, world_.format);
  const Result<CommitIndex> last = world_.index.Read(*opened.store);
  if (!last.ok()) return last.status();
  Addresses addresses(world_.library);
  BatchApplier applier({.store = state, .row = world_.index, .members = &addresses},
                       opened.position, *last);
  const std::uint64_t end = opened.log->last_index() + 1;
  for (std::uint64_t next = opened.position.index + 1; next < end;) {
    Result<std::vector<LogEntry>> read = opened.log->Read(next, end, kAppliedAtOnceBytes);
    if (!read.ok()) return read.status();
    next = read->back().index + 1;
    std::vector<CommittedEntry> entries;
    for (LogEntry& entry : *read) entries.push_back(CommittedOf(std::move(entry)));
    WHARF_RETURN_IF_ERROR(applier.Add(entries));
    WHARF_RETURN_IF_ERROR(applier.Write(applier.Take()));
  }
  opened.position = applier.position();
  return {};
}

Status Recovery::BeOnlyMember(Opened& opened) const {
  const Result<MemberBook> book = MemberBook::Decode(opened.position.members);
  if (!book.ok()) return book.status();
  const MemberRecord* const before = book->FindName(world_.name);
  MemberRecord self = before == nullptr ? MemberRecord{.name = world_.name} : *before;
  self.node = DrawNodeId(world_.random).value();
  opened.position.members =
      MemberBook{world_.library.EncodeMembers({.voters = {self.node}}), {self}, book->level}
          .Encode();
  WriteBatch batch;
  world_.store.position->Put(opened.position, batch);
  WHARF_RETURN_IF_ERROR(opened.store->Write({&batch, 1}, RocksStore::Sync::kNo));
  return opened.store->Flush();
}

Result<ClusterId> Recovery::Refound() const {
  const Result<std::unique_ptr<RocksStore>> store = OpenStore();
  if (!store.ok()) return store.status();
  const Result<StatePosition> position = world_.store.position->Read(**store);
  if (!position.ok()) return position.status();
  const Result<MemberBook> book = MemberBook::Decode(position->members);
  if (!book.ok()) return book.status();
  if (book->members.size() != 1)
    return Status::Damage("the state has other members than this node");
  const NodeIdentity identity{DrawClusterId(world_.random), NodeId(book->members.front().node),
                              world_.name};
  WHARF_RETURN_IF_ERROR(folder_.EndRecovery(identity, {position->index, position->term}));
  return identity.cluster;
}

}  // namespace wharf
