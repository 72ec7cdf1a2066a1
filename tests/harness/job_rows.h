// The rows of the table `jobs` of one kind, in all buckets.
#pragma once

#include <string>
#include <vector>

#include "broker/schema/keys.h"
#include "broker/schema/tables.h"
#include "storage/store.h"

namespace wharf {

inline std::vector<std::string> KeysOfJobs(const StoreView& view, JobKind kind) {
  std::vector<std::string> keys;
  const KeyRange all{std::string(), std::string(40, '\xFF')};
  for (const auto rows = view.Scan(IdOf(Table::kJobs), all); rows->valid(); rows->Next()) {
    if (KindOfJobKey(rows->key()) == kind) keys.emplace_back(rows->key());
  }
  return keys;
}

}  // namespace wharf
