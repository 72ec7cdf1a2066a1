#include "storage/apply/batch_applier.h"

#include <utility>

namespace wharf {
namespace {

// Of what it costs in memory that a check ends a group, beside its words.
constexpr std::size_t kCheckBytes = 1024;

}  // namespace

BatchApplier::BatchApplier(const World& world, StatePosition position, CommitIndex last)
    : world_(world),
      position_(std::move(position)),
      whole_(position_.index),
      added_{position_.index, position_.term},
      members_(position_.members),
      last_(last) {}

Status BatchApplier::Add(const std::vector<CommittedEntry>& entries) {
  for (const CommittedEntry& entry : entries) WHARF_RETURN_IF_ERROR(AddOne(entry));
  return {};
}

Status BatchApplier::AddOne(const CommittedEntry& committed) {
  const LogEntry& entry = committed.entry;
  Result<std::optional<WholeBatches>> added = assembler_.Add(entry);
  if (!added.ok()) return added.status();
  std::optional<Check> check;
  if (*added && (*added)->head.is_check) {
    check.emplace(Check{std::move((*added)->payload), (*added)->head.time, entry.index});
  } else if (*added) {
    WHARF_RETURN_IF_ERROR(AddBatches(**std::move(added)));
  }
  if (committed.members) WHARF_RETURN_IF_ERROR(AddMembers(committed));
  added_ = {entry.index, entry.term};
  if (!assembler_.is_open()) MoveTo(added_);
  if (check && world_.checks != nullptr) AddCheck(*std::move(check));
  return {};
}

void BatchApplier::AddCheck(Check check) {
  Group ended = EndGroup();
  group_.before = std::exchange(ended.before, {});
  group_.bytes = ended.bytes + check.payload.size() + kCheckBytes;
  group_.has_members = ended.has_members;
  ended.check = std::move(check);
  group_.before.push_back(std::move(ended));
}

Status BatchApplier::AddWhole(std::vector<WriteBatch> batches, const LogPlace& place) {
  for (WriteBatch& batch : batches) {
    WHARF_RETURN_IF_ERROR(AddBatch(std::move(batch), last_.Next(), 1));
    last_ = last_.Next();
  }
  added_ = place;
  MoveTo(place);
  return {};
}

void BatchApplier::MoveTo(const LogPlace& place) {
  group_.has_members |= position_.members != members_;
  position_ = {place.index, place.term, members_};
  whole_ = place.index;
  group_.moves_position = true;
}

Status BatchApplier::AddBatches(WholeBatches whole) {
  last_ = CommitIndex(last_.value() + whole.head.batches);
  time_ = whole.head.time;
  return AddBatch(WriteBatch(std::move(whole.payload)), last_, whole.head.batches);
}

Status BatchApplier::AddBatch(WriteBatch batch, CommitIndex last, std::uint32_t batches) {
  const WriteBatch& added = group_.batches.emplace_back(std::move(batch));
  group_.bytes += added.bytes().size();
  WHARF_RETURN_IF_ERROR(added.Visit(world_.store.tables(), group_.writes));
  if (world_.batches != nullptr) world_.batches->OnBatches(last, batches, added.bytes());
  return {};
}

Status BatchApplier::AddMembers(const CommittedEntry& committed) {
  if (world_.members == nullptr) {
    members_ = *committed.members;
    return {};
  }
  Result<std::string> next = world_.members->After(members_, committed.entry, *committed.members);
  if (!next.ok()) return next.status();
  members_ = *std::move(next);
  return {};
}

BatchApplier::Group BatchApplier::Take() { return EndGroup(); }

BatchApplier::Group BatchApplier::EndGroup() {
  Group taken = std::exchange(group_, {});
  taken.position = position_;
  taken.last = last_;
  return taken;
}

Status BatchApplier::Write(Group group) const {
  for (Group& before : group.before) WHARF_RETURN_IF_ERROR(WriteOne(before));
  return WriteOne(group);
}

Status BatchApplier::WriteOne(Group& group) const {
  WHARF_RETURN_IF_ERROR(WriteRows(group));
  if (!group.check) return {};
  world_.checks->OnCheck(group.check->payload, group.check->time, group.check->index);
  return {};
}

Status BatchApplier::WriteRows(Group& group) const {
  OrderedWrites& writes = group.writes;
  if (group.batches.empty() && !group.moves_position) return {};
  if (!group.batches.empty()) {
    WriteBatch& index = group.batches.emplace_back();
    world_.row.Put(group.last, index);
    WHARF_RETURN_IF_ERROR(index.Visit(world_.store.tables(), writes));
  }
  if (world_.listener != nullptr) world_.listener->OnApplying(writes.notes());
  WHARF_RETURN_IF_ERROR(world_.store.Write(writes, group.position));
  if (world_.listener != nullptr) world_.listener->OnApplied(writes.notes());
  if (group.has_members && world_.members != nullptr) {
    world_.members->OnMembers(group.position.members);
  }
  return {};
}

}  // namespace wharf
