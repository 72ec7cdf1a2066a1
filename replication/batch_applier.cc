#include "replication/batch_applier.h"

#include <utility>

namespace wharf {

BatchApplier::BatchApplier(const World& world, StatePosition position, CommitIndex last)
    : world_(world), position_(std::move(position)), members_(position_.members), last_(last) {}

Status BatchApplier::Apply(const std::vector<CommittedEntry>& entries) {
  Group group;
  group.position = position_;
  // The writes look at the bytes of the batches, which must not move.
  group.batches.reserve(entries.size() + 1);
  for (const CommittedEntry& entry : entries) WHARF_RETURN_IF_ERROR(Collect(entry, group));
  // Where nothing happened the position on disk may stay: nothing happens again.
  if (group.count > 0 || group.has_members) WHARF_RETURN_IF_ERROR(Write(group));
  position_ = std::move(group.position);
  return {};
}

Status BatchApplier::Collect(const CommittedEntry& committed, Group& group) {
  const LogEntry& entry = committed.entry;
  Result<std::optional<WholeBatches>> added = assembler_.Add(entry);
  if (!added.ok()) return added.status();
  if (std::optional<WholeBatches>& whole = *added) {
    group.batches.emplace_back(std::move(whole->payload));
    WHARF_RETURN_IF_ERROR(group.batches.back().Visit(world_.store.tables(), group.writes));
    group.count += whole->head.batches;
    time_ = whole->head.time;
  }
  if (committed.members) WHARF_RETURN_IF_ERROR(CollectMembers(committed));
  if (assembler_.is_open()) return {};
  group.has_members |= group.position.members != members_;
  group.position = {entry.index, entry.term, members_};
  return {};
}

Status BatchApplier::CollectMembers(const CommittedEntry& committed) {
  if (world_.members == nullptr) {
    members_ = *committed.members;
    return {};
  }
  Result<std::string> next = world_.members->After(members_, committed.entry, *committed.members);
  if (!next.ok()) return next.status();
  members_ = *std::move(next);
  return {};
}

Status BatchApplier::Write(Group& group) {
  const CommitIndex last(last_.value() + group.count);
  if (group.count > 0) {
    WriteBatch& index = group.batches.emplace_back();
    world_.row.Put(last, index);
    WHARF_RETURN_IF_ERROR(index.Visit(world_.store.tables(), group.writes));
  }
  if (world_.listener != nullptr) world_.listener->OnApplying(group.writes.notes());
  WHARF_RETURN_IF_ERROR(world_.store.Write(group.writes, group.position));
  if (world_.listener != nullptr) world_.listener->OnApplied(group.writes.notes());
  last_ = last;
  if (group.has_members && world_.members != nullptr) {
    world_.members->OnMembers(group.position.members);
  }
  return {};
}

}  // namespace wharf
