// RecordingStore: looks through to another store and remembers what was asked of it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "storage/store.h"

namespace wharf {

class RecordingStore final : public Store {
 public:
  explicit RecordingStore(const Store& store) : store_(store) {}

  std::unique_ptr<StoreView> View() const override;

  // How many rows of a table were read, found or not.
  std::size_t reads_of(TableId table) const {
    const auto found = reads_.find(table);
    return found == reads_.end() ? 0 : found->second;
  }

 private:
  class RecordingView;
  class RecordingCursor;

  const Store& store_;
  mutable std::map<TableId, std::size_t> reads_;
};

}  // namespace wharf
