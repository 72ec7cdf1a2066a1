// Tellings: what callers are to hear of a committed turn, in order.
//
// Gathered on the shard's thread when the turn is committed, told by the Publisher.
#pragma once

#include <cstddef>
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

  // How much a door makes of one: brief is what has a few numbers to tell, and no messages.
  enum class Length { kAny, kBrief };

  explicit Tellings(Status committed) : committed_(std::move(committed)) {}

  void Add(Telling telling, Length length = Length::kAny) {
    tellings_.push_back(std::move(telling));
    if (length == Length::kBrief) ++brief_;
  }
  bool empty() const { return tellings_.empty(); }
  // Each of them is, and there are hardly any.
  bool are_brief() const { return brief_ == tellings_.size() && brief_ <= kBriefMax; }

  void Tell() && {
    for (Telling& telling : tellings_) std::move(telling)(committed_);
    tellings_.clear();
  }

 private:
  static constexpr std::size_t kBriefMax = 2;

  Status committed_;
  std::vector<Telling> tellings_;
  std::size_t brief_ = 0;
};

}  // namespace wharf
