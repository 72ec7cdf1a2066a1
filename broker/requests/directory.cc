#include "broker/requests/directory.h"

#include <utility>
#include <variant>

#include "broker/core/entities/names.h"

namespace wharf {

namespace {

Directory::Entry EntryOf(const EntityRecord& record) {
  return {record.id, record.kind, record.description.enable_partitioning};
}

}  // namespace

std::optional<Directory::Entry> Directory::Find(std::string_view folded) const {
  const Map map = Current();
  const Entry* entry = map.Find(folded);
  return entry == nullptr ? std::nullopt : std::optional(*entry);
}

EntityRef Directory::Refer(std::string path) const {
  const Address address = ParseAddress(path);
  const std::optional<Entry> entry = Find(address.entity);
  // DLQ-12.
  const bool has_lane =
      entry && (entry->kind != EntityKind::kTopic || address.lane == LaneKind::kMain);
  if (!has_lane) return {std::move(path), std::nullopt};
  return {std::move(path), LaneId{entry->id, address.lane}, entry->is_partitioned};
}

void Directory::Load(const std::vector<Named>& entities) {
  Map map;
  for (const Named& each : entities) map = map.With(FoldPath(each.name), each.entry);
  Replace(std::move(map));
}

void Directory::Publish(const Changes& committed) {
  Map map = Current();
  for (const Change& change : committed) {
    if (const auto* created = std::get_if<EntityCreated>(&change)) {
      const EntityRecord& record = *created->record;
      map = map.With(FoldPath(record.description.name), EntryOf(record));
    } else if (const auto* deleted = std::get_if<EntityDeleted>(&change)) {
      map = map.Without(FoldPath(deleted->name));
    }
  }
  Replace(std::move(map));
}

Directory::Map Directory::Current() const {
  MutexLock lock(mutex_);
  return map_;
}

// What only the one before had is freed without the lock.
void Directory::Replace(Map map) {
  MutexLock lock(mutex_);
  std::swap(map_, map);
}

}  // namespace wharf
