// The contract of commit logs, on those of this room.

#include "tests/storage/commit_log_contract.h"

#include <future>
#include <memory>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "storage/base/random.h"
#include "storage/log/segment_commit_log.h"
#include "storage/memory/memory_commit_log.h"
#include "storage/memory/memory_store.h"
#include "storage/rocks/rocks_store.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

class MemoryUnderTest final : public LogUnderTest {
 public:
  explicit MemoryUnderTest(const Listeners& listeners) { Restart(listeners); }
  Store& store() override { return store_; }
  CommitLog& log() override { return *log_; }
  void WriteBeside(const WriteBatch& batch) override { ASSERT_TRUE(store_.Apply(batch).ok()); }
  void Hold() override { log_->Hold(); }
  void Release() override { log_->Release(); }
  void StopLog() override { log_.reset(); }
  void Restart(const Listeners& listeners) override {
    log_.emplace(store_, MemoryCommitLog::World{&listeners.observer, &listeners.applied});
  }

 private:
  MemoryStore store_{ContractTables()};
  std::optional<MemoryCommitLog> log_;
};

constexpr TableId kPositionTable = 2;

class SegmentUnderTest final : public LogUnderTest {
 public:
  explicit SegmentUnderTest(const Listeners& listeners) {
    EXPECT_TRUE(SegmentLog::Make(LogOptions(), {random_}).ok());
    Restart(listeners);
  }
  Store& store() override { return caught_up_; }
  CommitLog& log() override { return *log_; }
  void WriteBeside(const WriteBatch& batch) override {
    ASSERT_TRUE(store_->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
    ASSERT_TRUE(store_->Flush().ok());
  }
  // A completion that does not return.
  void Hold() override {
    std::promise<void> is_held;
    log_->Append({}, [&is_held, go_on = go_on_.get_future()](const Result<CommitIndex>&) {
      is_held.set_value();
      go_on.wait();
    });
    is_held.get_future().wait();
  }
  void Release() override { go_on_.set_value(); }
  void StopLog() override { log_.reset(); }
  // As after a kill: what was not flushed is only in the log.
  void Restart(const Listeners& listeners) override {
    log_.reset();
    store_.reset();
    TableSet tables = ContractTables();
    tables.push_back({.name = "position"});
    store_ = RocksStore::Open({.path = folder_.path() + "/state",
                               .tables = tables,
                               .position = StatePositionRow{.table = kPositionTable}})
                 .value();
    log_.emplace(SegmentCommitLog::Options{.late = {.unwritten_max = std::chrono::hours(1)}},
                 *store_, SegmentLog::Open(LogOptions(), {random_}).value(),
                 SegmentCommitLog::World{.observer = listeners.observer,
                                         .applied = &listeners.applied,
                                         .position = {.table = kPositionTable}});
  }

 private:
  // Whoever reads it before and behind the life of a log, too.
  class CaughtUp final : public Store {
   public:
    explicit CaughtUp(SegmentUnderTest& test) : test_(test) {}
    std::unique_ptr<StoreView> View() const override {
      return test_.log_ ? test_.log_->store().View() : test_.store_->View();
    }

   private:
    SegmentUnderTest& test_;
  };

  SegmentLogOptions LogOptions() const { return {.path = folder_.path() + "/log"}; }

  TempFolder folder_;
  SeededRandom random_{7};
  std::promise<void> go_on_;
  std::unique_ptr<RocksStore> store_;
  std::optional<SegmentCommitLog> log_;
  CaughtUp caught_up_{*this};
};

INSTANTIATE_TEST_SUITE_P(All, CommitLogContract,
                         ::testing::Values(KindOf<MemoryUnderTest>("MemoryCommitLog"),
                                           KindOf<SegmentUnderTest>("SegmentCommitLog")),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace wharf
