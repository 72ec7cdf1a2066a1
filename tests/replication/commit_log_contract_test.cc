// The contract of commit logs, on the one that three nodes keep.

#include "tests/storage/commit_log_contract.h"

#include <memory>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "tests/replication/replica_set.h"

namespace wharf {
namespace {

class RaftUnderTest final : public LogUnderTest {
 public:
  explicit RaftUnderTest(const Listeners& listeners) { Restart(listeners); }
  ~RaftUnderTest() override { log_.reset(); }
  Store& store() override { return set_[1].caught_up(); }
  CommitLog& log() override { return *log_; }
  void WriteBeside(const WriteBatch& batch) override {
    ASSERT_TRUE(set_[1].store().store().Apply(batch).ok());
  }
  void Hold() override { set_[1].log().Hold(); }
  void Release() override { set_[1].log().Release(); }
  void StopLog() override {
    if (log_) log_->Stop();
    log_.reset();
    set_.Stop();
  }
  void Restart(const Listeners& listeners) override {
    StopLog();
    // A node whose state does not say where it is does not begin.
    const Status state = AppliedIndexRow().Read(store()).status();
    if (!state.ok()) return StartClosed(listeners, state);
    set_.Start(&listeners.applied);
    log_ = set_[1].Lead(listeners.observer, {});
  }

 private:
  void StartClosed(const Listeners& listeners, const Status& why) {
    log_ = std::make_shared<RaftCommitLog>(
        RaftCommitLog::Options(),
        RaftCommitLog::World{listeners.observer, set_[1].store().tables(), clock_, [] {}}, 1,
        CommitIndex());
    log_->Close(ClosedBy(why, Outcome::kNotDone));
  }

  ManualClock clock_{Timestamp()};
  ReplicaSet set_{ContractTables()};
  std::shared_ptr<RaftCommitLog> log_;
};

INSTANTIATE_TEST_SUITE_P(Replicated, CommitLogContract,
                         ::testing::Values(KindOf<RaftUnderTest>("RaftCommitLog", false)),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace wharf
