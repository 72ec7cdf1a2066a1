// Turn: what a shard decides at one go, from plan to publish.
//
// Everything that is waiting is planned; the changes of all of it become one commit; and only when
// that is durable does anyone hear. Made and published on the shard's thread.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "broker/core/change.h"
#include "storage/base/status.h"

namespace wharf {

class Turn {
 public:
  static constexpr std::size_t kChangesMax = 16384;

  // Told whether the turn is durable; if not, its outcome is unknown.
  using Publication = absl::AnyInvocable<void(const Status& committed) &&>;

  explicit Turn(Timestamp started) : now(started) {}

  // Called when the turn has been committed, in the order of these calls.
  void OnPublish(Publication publication) { publications_.push_back(std::move(publication)); }

  void Publish(const Status& committed) {
    for (Publication& publication : publications_) std::move(publication)(committed);
    publications_.clear();
  }

  // Whether it has as many changes as shall be in one commit; what comes now waits for the next.
  // One request may exceed it.
  bool is_full() const { return changes.size() >= kChangesMax; }
  bool is_empty() const { return changes.empty() && publications_.empty(); }

  const Timestamp now;
  Changes changes;
  // Its time is committed, also if nothing changed.
  bool keeps_time = false;

 private:
  std::vector<Publication> publications_;
};

}  // namespace wharf
