// OpenState: whether a shard still plans, and why not.
//
// Owned by the Shard, which closes it; its workers ask. On the shard's thread.
#pragma once

#include <optional>

#include "storage/base/status.h"

namespace wharf {

class OpenState {
 public:
  bool is_closed() const { return reason_.has_value(); }
  // Why nothing may be planned any more, if so.
  Status Check() const { return reason_.value_or(Status::Ok()); }
  // The first reason stays. What its outcome was is not the outcome of others.
  void Close(const Status& reason) {
    if (!reason_) reason_ = Status(reason.code(), reason.message());
  }

 private:
  std::optional<Status> reason_;
};

}  // namespace wharf
