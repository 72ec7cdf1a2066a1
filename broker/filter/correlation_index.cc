#include "broker/filter/correlation_index.h"

namespace wharf {

// What is equal to nothing, like NaN, is left out: it never matches.
void CorrelationIndex::Add(const CorrelationFilter& filter, Id id) {
  std::string key;
  if (!WriteKey(filter, key)) return;
  groups_[FieldsOf(filter)][key].insert(id);
}

void CorrelationIndex::Remove(const CorrelationFilter& filter, Id id) {
  std::string key;
  if (!WriteKey(filter, key)) return;
  const auto group = groups_.find(FieldsOf(filter));
  if (group == groups_.end()) return;
  const auto found = group->second.find(key);
  if (found == group->second.end()) return;
  found->second.erase(id);
  if (found->second.empty()) group->second.erase(found);
  if (group->second.empty()) groups_.erase(group);
}

void CorrelationIndex::Match(const MessageView& message, std::vector<Id>& ids) const {
  std::string key;
  for (const auto& [fields, group] : groups_) {
    if (!WriteKey(fields, message, key)) continue;
    const auto found = group.find(key);
    if (found == group.end()) continue;
    ids.insert(ids.end(), found->second.begin(), found->second.end());
  }
}

}  // namespace wharf
