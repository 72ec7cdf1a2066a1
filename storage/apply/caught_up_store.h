// CaughtUpStore: the state of a node for whoever reads it: before a view is made, what was told as
// applied is written (late_writer.h).
//
// So a view shows everything that anybody has heard of, though nearly nothing is written for its
// own sake. Where the applier failed nothing can be read: who asks might be shown what was before
// something that he was told. Where it was given a snapshot, a view shows that. Any thread but the
// applier's.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "storage/failed_view.h"
#include "storage/store.h"

namespace wharf {

class CaughtUpStore final : public Store {
 public:
  // `catch_up` returns when it is written, or why it never will be, which is what readers hear.
  CaughtUpStore(const Store& store, std::function<Status()> catch_up)
      : store_(store), catch_up_(std::move(catch_up)) {}

  std::unique_ptr<StoreView> View() const override {
    if (const Status failed = catch_up_(); !failed.ok()) {
      return std::make_unique<FailedView>(failed);
    }
    return store_.View();
  }

 private:
  const Store& store_;
  const std::function<Status()> catch_up_;
};

}  // namespace wharf
