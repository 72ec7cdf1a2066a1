// The contract of commit logs, on those of this room.

#include "tests/storage/commit_log_contract.h"

#include <future>
#include <memory>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "storage/log/local_commit_log.h"
#include "storage/memory/memory_commit_log.h"
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

class LocalUnderTest final : public LogUnderTest {
 public:
  explicit LocalUnderTest(const Listeners& listeners) { Restart(listeners); }
  Store& store() override { return *store_; }
  CommitLog& log() override { return *log_; }
  void WriteBeside(const WriteBatch& batch) override {
    ASSERT_TRUE(store_->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
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
  void Restart(const Listeners& listeners) override {
    log_.reset();
    store_.reset();
    store_ = RocksStore::Open({.path = folder_.path(), .tables = ContractTables()}).value();
    log_.emplace(*store_, LocalCommitLog::World{listeners.observer, &listeners.applied});
  }

 private:
  TempFolder folder_;
  std::promise<void> go_on_;
  std::unique_ptr<RocksStore> store_;
  std::optional<LocalCommitLog> log_;
};

INSTANTIATE_TEST_SUITE_P(All, CommitLogContract,
                         ::testing::Values(KindOf<MemoryUnderTest>("MemoryCommitLog"),
                                           KindOf<LocalUnderTest>("LocalCommitLog")),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace wharf
