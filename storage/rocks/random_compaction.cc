#include "storage/rocks/random_compaction.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace wharf {
namespace {

constexpr std::size_t kRowsLookedAt = 64;

const KeyRange& AllRows() {
  static const KeyRange kAll{std::string(), std::string(32, '\xFF')};
  return kAll;
}

}  // namespace

Status RandomCompaction::Run() {
  if (random_.Next() % 4 == 0) return store_.ReturnSpace(true).status();
  const auto table = static_cast<TableId>(random_.Next() % store_.tables().size());
  return store_.Compact({table, SomeRows(table)});
}

// Between two rows that are there, or all.
KeyRange RandomCompaction::SomeRows(TableId table) const {
  std::vector<std::string> keys;
  const auto view = store_.View();
  const auto rows = view->Scan(table, AllRows());
  for (; rows->valid() && keys.size() < kRowsLookedAt; rows->Next()) keys.emplace_back(rows->key());
  if (keys.empty() || random_.Next() % 3 == 0) return AllRows();
  std::string one = keys[random_.Next() % keys.size()];
  std::string other = keys[random_.Next() % keys.size()] + '\0';
  if (other < one) std::swap(one, other);
  return {std::move(one), std::move(other)};
}

}  // namespace wharf
