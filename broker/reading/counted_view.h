// CountedView: a view that counts the rows that are read through it, and tells them when it goes.
// Used by one thread at a time, as its cursors are; it outlives them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "broker/reading/read_counts.h"
#include "storage/store.h"

namespace wharf {

class CountedView final : public StoreView {
 public:
  CountedView(std::unique_ptr<const StoreView> rows, std::shared_ptr<ReadCounts> counts);
  ~CountedView() override;

  Result<std::optional<std::string>> Get(TableId table, std::string_view key) const override;
  std::unique_ptr<StoreCursor> Scan(TableId table, const KeyRange& range) const override;

 private:
  class Cursor;

  const std::unique_ptr<const StoreView> rows_;
  const std::shared_ptr<ReadCounts> counts_;
  mutable std::uint64_t read_ = 0;
};

}  // namespace wharf
