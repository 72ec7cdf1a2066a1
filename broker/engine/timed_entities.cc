#include "broker/engine/timed_entities.h"

#include <utility>
#include <variant>

#include <fmt/core.h>

#include "broker/core/entities/names.h"

namespace wharf {

Status TimedEntities::Check(const std::vector<std::string>& paths) {
  if (paths.size() > kCountMax) {
    return {ErrorCode::kArgumentError, fmt::format("there are at most {}", kCountMax)};
  }
  for (const std::string& path : paths) {
    const bool is_subscription = !SplitSubscriptionPath(path).name.empty();
    const Result<std::string> checked =
        is_subscription ? CheckSubscriptionPath(path) : CheckEntityName(path);
    WHARF_RETURN_IF_ERROR(checked.status());
  }
  return {};
}

void TimedEntities::Name(const std::vector<std::string>& paths, Catalog& catalog) {
  std::set<std::string> names;
  for (const std::string& path : paths) names.insert(FoldPath(path));
  const std::set<std::string> before = std::exchange(names_, std::move(names));
  for (const std::string& name : before) {
    if (!names_.contains(name)) End(name, catalog);
  }
  for (const std::string& name : names_) {
    if (!before.contains(name)) Begin(name, catalog);
  }
}

// The catalog is ahead of what is committed: an entity of this name may be another one already,
// whose own changes come here, too.
void TimedEntities::NoteChanges(const Changes& committed, Catalog& catalog) {
  for (const Change& change : committed) {
    if (const auto* created = std::get_if<EntityCreated>(&change)) {
      const std::string folded = FoldPath(created->record->description.name);
      if (names_.contains(folded)) Begin(folded, catalog);
    } else if (const auto* deleted = std::get_if<EntityDeleted>(&change)) {
      End(FoldPath(deleted->name), catalog);
    }
  }
}

void TimedEntities::Begin(const std::string& folded, Catalog& catalog) {
  const Result<Queue*> queue = catalog.FindFolded(folded, folded);
  if (!queue.ok()) return;
  auto latencies = std::make_shared<EntityLatencies>((*queue)->description().name);
  (*queue)->set_latencies(latencies);
  MutexLock lock(mutex_);
  timed_.insert_or_assign(folded, std::move(latencies));
}

void TimedEntities::End(const std::string& folded, Catalog& catalog) {
  const Result<Queue*> queue = catalog.FindFolded(folded, folded);
  if (queue.ok()) (*queue)->set_latencies(nullptr);
  MutexLock lock(mutex_);
  timed_.erase(folded);
}

std::vector<TimedEntity> TimedEntities::Read() const {
  std::vector<TimedEntity> entities;
  MutexLock lock(mutex_);
  for (const auto& [folded, latencies] : timed_) {
    entities.push_back({.path = latencies->path,
                        .send = latencies->send.Read(),
                        .settle = latencies->settle.Read(),
                        .wait = latencies->wait.Read()});
  }
  return entities;
}

}  // namespace wharf
