// PowerLife: the whole broker on a disk that loses power, between two cuts.
//
// Used by the tests that cut the power under the engine. It is destroyed as a process dies: what is
// under way fails, and nothing is flushed.
#pragma once

#include <memory>
#include <utility>

#include "broker/schema/change_encoder.h"
#include "broker/schema/tables.h"
#include "storage/log/local_commit_log.h"
#include "storage/rocks/rocks_store.h"
#include "tests/harness/engine_harness.h"
#include "tests/power/power_loss_file_system.h"

namespace wharf {

class PowerLife {
 public:
  struct Sizes {
    std::size_t write_buffer_bytes = 512 << 10;
    std::size_t wal_bytes_max = 512 << 10;
  };

  static Result<std::unique_ptr<PowerLife>> Open(
      const std::shared_ptr<PowerLossFileSystem>& file_system, const Sizes& sizes,
      std::uint64_t seed) {
    Result<std::unique_ptr<RocksStore>> store =
        RocksStore::Open({.path = "/var/lib/wharf",
                          .tables = BrokerTables(),
                          .write_buffer_bytes = sizes.write_buffer_bytes,
                          .block_cache_bytes = 1 << 20,
                          .wal_bytes_max = sizes.wal_bytes_max,
                          .file_system = file_system,
                          .may_sleep = false});
    if (!store.ok()) return store.status();
    if (LoadFolderState(**store, "folder")->is_new) {
      const WriteBatch batch = EncodeNewFolder();
      WHARF_RETURN_IF_ERROR((*store)->Write({&batch, 1}, RocksStore::Sync::kYes));
    }
    return std::unique_ptr<PowerLife>(new PowerLife(*std::move(store), seed));
  }

  ~PowerLife() {
    engine_->work().RunUntil([this] { return engine_->shard().turns_in_flight() == 0; });
    engine_->work().RunAll();
    log_.reset();
    engine_.reset();
  }

  EngineHarness& engine() { return *engine_; }
  const Store& store() const { return *store_; }

  // Runs until nothing is under way and nothing is due.
  void RunUntilQuiet() {
    for (;;) {
      engine_->Run();
      if (engine_->shard().turns_in_flight() == 0) return;
      engine_->work().RunUntil([this] { return engine_->shard().turns_in_flight() == 0; });
    }
  }

 private:
  class NoObserver final : public CommitLog::Observer {
    void OnOpen() override {}
    void OnClosed(Status) override {}
  };

  PowerLife(std::unique_ptr<RocksStore> store, std::uint64_t seed)
      : store_(std::move(store)),
        log_(std::make_unique<LocalCommitLog>(
            *store_, LocalCommitLog::World{observer_, nullptr, BrokerAppliedIndex()})),
        engine_(std::make_unique<EngineHarness>(EngineHarness::Options{.seed = seed}, *store_,
                                                *log_)) {}

  NoObserver observer_;
  std::unique_ptr<RocksStore> store_;
  std::unique_ptr<LocalCommitLog> log_;
  std::unique_ptr<EngineHarness> engine_;
};

}  // namespace wharf
