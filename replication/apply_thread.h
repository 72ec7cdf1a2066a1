// ApplyThread: the thread that makes the state out of committed entries, so that the node's does
// not wait for it.
//
// It ends at a snapshot. What it is given is bounded by the node
// (RaftNode::Options::applying_bytes_max). It takes all that waits as one write.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <thread>
#include <variant>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "replication/batch_applier.h"
#include "replication/node/applier.h"
#include "storage/base/mutex.h"

namespace wharf {

// Hears that the log begins at a snapshot from now on, whose state is on the disk as a whole. It
// takes the place of the one that is there when the node is opened anew, and until then nothing is
// applied: a store is not changed under those who use it.
class SnapshotInstaller {
 public:
  virtual ~SnapshotInstaller() = default;
  // On the applier's thread.
  virtual void Install(const RaftSnapshot& snapshot) = 0;
};

class ApplyThread final : public Applier {
 public:
  // What is pointed to outlives the thread; called on it.
  struct World {
    BatchApplier& applier;
    SnapshotInstaller& installer;
    // Everything up to here is applied, and the state is at this batch.
    std::function<void(const LogPlace& place, CommitIndex last)> on_applied;
    // Nothing is applied any more.
    std::function<void(Status)> on_failed;
  };

  explicit ApplyThread(World world);
  ~ApplyThread() override;

  // Leaves what waits: the log has it.
  void Stop();

  void Apply(std::vector<CommittedEntry> entries) override;
  void Install(RaftSnapshot snapshot) override;

 private:
  using Task = std::variant<std::vector<CommittedEntry>, RaftSnapshot>;

  void Queue(Task task);
  void Run();
  // None: stop.
  std::optional<Task> Take();
  Status ApplyNow(const std::vector<CommittedEntry>& entries);

  const World world_;
  Mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<Task> tasks_ ABSL_GUARDED_BY(mutex_);
  bool is_stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // Last, so that it starts when everything else is there.
};

}  // namespace wharf
