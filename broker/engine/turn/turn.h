// Turn: what a shard decides at one go, from plan to publish.
//
// Everything that is waiting is planned; the changes of all of it become one commit; and only when
// that is durable does anyone hear. Made and published on the shard's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "broker/core/changes/change.h"
#include "broker/core/changes/change_bytes.h"
#include "broker/topics/rule_work.h"
#include "storage/base/status.h"

namespace wharf {

class Turn {
 public:
  static constexpr std::size_t kChangesMax = 16384;
  // Of what its changes carry: a batch has about as many, and a few copies of it are made.
  static constexpr std::size_t kBytesMax = 16 * 1024 * 1024;

  // Told whether the turn is durable; if not, its outcome is unknown.
  using Publication = absl::AnyInvocable<void(const Status& committed) &&>;

  // What the rules of topics may do in it, ten milliseconds or so (topics/rule_work.h).
  static constexpr std::uint64_t kRuleStepsMax = 32 * 1024 * 1024;

  // `work` outlives it; null: there are no topics.
  explicit Turn(Timestamp started, const RuleWork* work = nullptr)
      : now(started), work_(work), work_before_(work == nullptr ? 0 : work->steps()) {}

  // Called when the turn has been committed, in the order of these calls.
  void OnPublish(Publication publication) { publications_.push_back(std::move(publication)); }

  void Publish(const Status& committed) {
    for (Publication& publication : publications_) std::move(publication)(committed);
    publications_.clear();
  }

  // Whether it has as many changes as shall be in one commit, or took as much time; what comes now
  // waits for the next. One request may exceed it, and is as bounded as what its caller may send.
  bool is_full() const {
    return changes.size() >= kChangesMax || bytes() >= kBytesMax || rule_steps() >= kRuleStepsMax;
  }
  std::uint64_t rule_steps() const { return work_ == nullptr ? 0 : work_->steps() - work_before_; }
  // What the changes hold; each is counted once.
  std::size_t bytes() const {
    for (; counted_ < changes.size(); ++counted_) bytes_ += BytesOf(changes[counted_]);
    return bytes_;
  }
  bool is_empty() const { return changes.empty() && publications_.empty(); }

  const Timestamp now;
  Changes changes;
  // Its time is committed, also if nothing changed.
  bool keeps_time = false;
  // How many of its changes there were when counters were written.
  std::size_t counted = 0;
  // Of the batch that it became.
  std::size_t batch_bytes = 0;

 private:
  const RuleWork* const work_;
  const std::uint64_t work_before_;
  std::vector<Publication> publications_;
  mutable std::size_t counted_ = 0;
  mutable std::size_t bytes_ = 0;
};

}  // namespace wharf
