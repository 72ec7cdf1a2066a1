// Tellings: what callers are to hear of a committed turn, in order.
//
// Gathered on the shard's thread when the turn is committed, told on the publisher's: there the
// doors make their bytes of it, while the shard plans on.
#pragma once

#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "storage/base/status.h"

namespace wharf {

class Tellings {
 public:
  // Told whether the turn is durable; if not, its outcome is unknown. May touch nothing of the
  // shard's.
  using Telling = absl::AnyInvocable<void(const Status& committed) &&>;

  explicit Tellings(Status committed) : committed_(std::move(committed)) {}

  void Add(Telling telling) { tellings_.push_back(std::move(telling)); }
  bool empty() const { return tellings_.empty(); }

  void Tell() && {
    for (Telling& telling : tellings_) std::move(telling)(committed_);
    tellings_.clear();
  }

 private:
  Status committed_;
  std::vector<Telling> tellings_;
};

}  // namespace wharf
