// LeftOutRows: which rows a comparison of states leaves out, because a compaction may have dropped
// them in one state and not in another.
//
// Made for one view and the broker time of its position, by who knows what the bytes mean; asked on
// the thread that reads the view.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "storage/base/status.h"
#include "storage/base/time.h"
#include "storage/store.h"

namespace wharf {

class LeftOutRows {
 public:
  virtual ~LeftOutRows() = default;
  // The same for all members that are at this position.
  virtual bool IsLeftOut(TableId table, std::string_view key, std::string_view value) = 0;
  // Whether a compaction could not have dropped any other row of the view by now.
  virtual bool is_true_yet() const = 0;
};

// Empty: compactions drop nothing.
using MakeLeftOutRows =
    std::function<Result<std::unique_ptr<LeftOutRows>>(const StoreView& view, Timestamp time)>;

}  // namespace wharf
