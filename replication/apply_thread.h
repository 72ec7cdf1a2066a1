// ApplyThread: makes the state of a node out of committed entries, late (apply/late_writer.h),
// until the log begins at a snapshot.
//
// What it is told as applied bounds what the node hands over (RaftNode::Options::
// applying_bytes_max), so that the node waits for the store in the end.
#pragma once

#include <functional>
#include <vector>

#include "replication/node/applier.h"
#include "storage/apply/batch_applier.h"
#include "storage/apply/late_writer.h"

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
  using Options = LateWriter::Options;

  // What is pointed to outlives the thread.
  struct World {
    BatchApplier& applier;
    SnapshotInstaller& installer;
    // As those of a LateWriter.
    std::function<void(const LogPlace& place, CommitIndex last)> on_applied;
    std::function<void(Status)> on_failed;
  };

  ApplyThread(const Options& options, World world)
      : installer_(world.installer),
        writer_(options, {world.applier, std::move(world.on_applied), std::move(world.on_failed)}) {
  }

  void Stop() { writer_.Stop(); }
  Status WriteAll() { return writer_.WriteAll(); }
  Duration write_age() const { return writer_.write_age(); }

  // On the node's thread.
  void Apply(std::vector<CommittedEntry> entries) override {
    writer_.Apply([&entries](BatchApplier& applier) { return applier.Add(entries); });
  }
  void Install(RaftSnapshot snapshot) override {
    writer_.End([this, snapshot = std::move(snapshot)] { installer_.Install(snapshot); });
  }

 private:
  SnapshotInstaller& installer_;
  LateWriter writer_;
};

}  // namespace wharf
