// CaughtUpStore: the state of a node for whoever reads it: before a view is made, what was told as
// applied is written (late_writer.h).
//
// So a view shows everything that anybody has heard of, though nearly nothing is written for its
// own sake. Where the applier failed, or was given a snapshot, it shows what there is: the log of
// the leadership is closed by then, and nothing that is planned on it can happen. Any thread but
// the applier's.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "storage/store.h"

namespace wharf {

class CaughtUpStore final : public Store {
 public:
  // `catch_up` returns when it is written.
  CaughtUpStore(const Store& store, std::function<void()> catch_up)
      : store_(store), catch_up_(std::move(catch_up)) {}

  std::unique_ptr<StoreView> View() const override {
    catch_up_();
    return store_.View();
  }

 private:
  const Store& store_;
  const std::function<void()> catch_up_;
};

}  // namespace wharf
