#include "broker/filter/correlation_index.h"

#include <algorithm>
#include <utility>

namespace wharf {

// What is equal to nothing, like NaN, is left out: it never matches.
void CorrelationIndex::Add(const CorrelationFilter& filter, Id id) {
  std::string key;
  if (!WriteKey(filter, key)) return;
  CorrelationFields fields = FieldsOf(filter);
  auto group = Find(fields);
  if (group == groups_.end()) group = groups_.insert(group, Group{std::move(fields), {}});
  group->ids_by_key[key].push_back(id);
}

void CorrelationIndex::Remove(const CorrelationFilter& filter, Id id) {
  std::string key;
  if (!WriteKey(filter, key)) return;
  const auto group = Find(FieldsOf(filter));
  if (group == groups_.end()) return;
  const auto found = group->ids_by_key.find(key);
  if (found == group->ids_by_key.end()) return;
  std::erase(found->second, id);
  if (found->second.empty()) group->ids_by_key.erase(found);
  if (group->ids_by_key.empty()) groups_.erase(group);
}

void CorrelationIndex::Match(const MessageView& message, std::vector<Id>& ids) const {
  std::string key;
  for (const Group& group : groups_) {
    if (!WriteKey(group.fields, message, key)) continue;
    const auto found = group.ids_by_key.find(key);
    if (found == group.ids_by_key.end()) continue;
    ids.insert(ids.end(), found->second.begin(), found->second.end());
  }
}

// Sets of fields are few.
CorrelationIndex::Groups::iterator CorrelationIndex::Find(const CorrelationFields& fields) {
  return std::find_if(groups_.begin(), groups_.end(),
                      [&](const Group& group) { return group.fields == fields; });
}

}  // namespace wharf
