// CorrelationIndex: which of many correlation filters match a message.
//
// A message costs one hash look-up for each set of fields that some filter compares, however many
// filters share the set and do not match (COR-9); a filter costs one to add or to remove. Used by
// its owner's thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "broker/filter/correlation_filter.h"
#include "broker/filter/correlation_key.h"
#include "broker/filter/message_view.h"

namespace wharf {

class CorrelationIndex {
 public:
  // What the owner calls a filter; no two have the same.
  using Id = std::uint64_t;

  // `filter` was checked.
  void Add(const CorrelationFilter& filter, Id id);
  // The filter that was added with that id.
  void Remove(const CorrelationFilter& filter, Id id);

  bool empty() const { return groups_.empty(); }

  // Appends the ids of all filters that match, in no order.
  void Match(const MessageView& message, std::vector<Id>& ids) const;

 private:
  // The filters that compare the same properties, by the values that they want; many may want the
  // same.
  using Group = absl::flat_hash_map<std::string, absl::btree_set<Id>>;

  absl::flat_hash_map<CorrelationFields, Group> groups_;
};

}  // namespace wharf
