// Deadlines: when something is to be done about each of many things, one time for each.
//
// A plain value of the worker that keeps it.
#pragma once

#include <optional>
#include <utility>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "storage/base/clock.h"

namespace wharf {

template <typename Key>
class Deadlines {
 public:
  // Instead of the one before; kNever: none.
  void Set(const Key& key, Timestamp time) {
    if (const auto known = times_.find(key); known != times_.end()) {
      order_.erase({known->second, key});
      times_.erase(known);
    }
    if (time == kNever) return;
    order_.emplace(time, key);
    times_.emplace(key, time);
  }
  // The first of those whose time has come. It has none then.
  std::optional<Key> TakeDue(Timestamp now) {
    if (order_.empty() || next() > now) return std::nullopt;
    const Key key = order_.begin()->second;
    Set(key, kNever);
    return key;
  }
  // kNever if there are none.
  Timestamp next() const { return order_.empty() ? kNever : order_.begin()->first; }

 private:
  absl::btree_set<std::pair<Timestamp, Key>> order_;
  absl::flat_hash_map<Key, Timestamp> times_;
};

}  // namespace wharf
