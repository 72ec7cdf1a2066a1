// PowerLife: the whole broker on a disk that loses power, between two cuts.
//
// Put together as wharfd is: what is garbage is loaded before the log opens, views stand in a
// ledger, the log tells what it applies, and compactions ask. Beside those of RocksDB there are
// others, at random moments: right after the start and between any two reads of a view. Used by the
// tests that cut the power under the engine. It is destroyed as a process dies: what is under way
// fails, and nothing is flushed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "broker/reading/upkeep.h"
#include "broker/schema/change_encoder.h"
#include "broker/schema/garbage.h"
#include "broker/schema/loader.h"
#include "broker/schema/tables.h"
#include "storage/log/segment_commit_log.h"
#include "storage/rocks/rocks_store.h"
#include "tests/harness/broker_life.h"
#include "tests/harness/restless_limits.h"
#include "tests/harness/single_store.h"
#include "tests/power/compacting_store.h"
#include "tests/power/power_loss_file_system.h"

namespace wharf {

class PowerLife final : public BrokerLife {
 public:
  static Result<std::unique_ptr<PowerLife>> Open(
      const std::shared_ptr<PowerLossFileSystem>& file_system, std::uint64_t seed) {
    std::unique_ptr<PowerLife> life(new PowerLife(seed));
    WHARF_RETURN_IF_ERROR(life->OpenStore(file_system));
    WHARF_RETURN_IF_ERROR(life->Begin(seed));
    return life;
  }

  ~PowerLife() override {
    if (!engine_) return;
    engine_->work().RunUntil([this] { return engine_->shard().turns_in_flight() == 0; });
    engine_->work().RunAll();
    log_->Stop();
    engine_.reset();
    log_.reset();
  }

  EngineHarness& engine() override { return *engine_; }
  const Store& store() const override { return log_->store(); }
  // Rows of messages that were counted out, and that compactions dropped.
  std::uint64_t dropped_messages() const { return *dropped_; }
  // Something of it, now.
  void Compact() { store_->CompactSome(); }

 private:
  class NoObserver final : public CommitLog::Observer {
    void OnOpen() override {}
    void OnClosed(Status) override {}
  };

  // Files so small that there are many.
  static constexpr std::size_t kFileBytesMax = 64 << 10;
  static constexpr std::uint64_t kCompactionBytesMax = 1 << 30;
  // Flushes are many, too, and all of them asked for by the log, one after another. RocksDB 7.8
  // aborts where one is planned while another is under way and then fails, if the first has written
  // all that a table had (MemTableList::RollbackMemtableFlush); as one of a full buffer may be. A
  // daemon has told why it ends by then.
  static constexpr std::uint64_t kUnflushedBytesMax = 256 << 10;
  static constexpr std::size_t kWriteBufferBytes = std::size_t{64} << 20;

  using Count = std::atomic<std::uint64_t>;

  // Counts what it calls garbage.
  class CountingJudge final : public RowJudge {
   public:
    CountingJudge(std::unique_ptr<RowJudge> judge, std::shared_ptr<Count> count)
        : judge_(std::move(judge)), count_(std::move(count)) {}

    bool IsGarbage(std::string_view key, std::string_view value) override {
      const bool is_garbage = judge_->IsGarbage(key, value);
      if (is_garbage) ++*count_;
      return is_garbage;
    }

   private:
    const std::unique_ptr<RowJudge> judge_;
    const std::shared_ptr<Count> count_;
  };

  explicit PowerLife(std::uint64_t seed) : random_(seed) {}

  TableSet Tables() {
    TableSet tables = BrokerTables(garbage_);
    auto& make_judge = tables[IdOf(Table::kMessages)].garbage->make_judge;
    make_judge = [make = std::move(make_judge), count = dropped_] {
      return std::make_unique<CountingJudge>(make(), count);
    };
    return tables;
  }

  Status OpenStore(const std::shared_ptr<PowerLossFileSystem>& file_system) {
    Result<SingleFolder> folder = OpenSingleStore({.path = "/var/lib/wharf",
                                                   .tables = Tables(),
                                                   .write_buffer_bytes = kWriteBufferBytes,
                                                   .block_cache_bytes = 1 << 20,
                                                   .file_system = file_system,
                                                   .file_bytes_max = kFileBytesMax,
                                                   .may_sleep = false,
                                                   .views = &views_},
                                                  secret_);
    if (!folder.ok()) return folder.status();
    rocks_ = std::move(folder->store);
    segments_ = std::move(folder->log);
    rocks_->LimitCompactions(kCompactionBytesMax);
    store_.emplace(*rocks_, *rocks_, random_);
    if (!LoadFolderState(*rocks_, "folder")->is_new) return {};
    const WriteBatch batch = EncodeFormat();
    return rocks_->Write({&batch, 1}, RocksStore::Sync::kYes);
  }

  Status Begin(std::uint64_t seed) {
    if (random_.Next() % 2 == 0) Compact();
    WHARF_RETURN_IF_ERROR(garbage_.Load(*rocks_));
    if (random_.Next() % 2 == 0) Compact();
    upkeep_.emplace(garbage_, [this](const auto& freed) { rocks_->NoteFreed(freed); });
    log_ = std::make_unique<SegmentCommitLog>(
        SegmentCommitLog::Options{.bound = {.unflushed_bytes_max = kUnflushedBytesMax}}, *rocks_,
        std::move(segments_),
        SegmentCommitLog::World{observer_, &*upkeep_, BrokerStatePosition(), BrokerAppliedIndex()});
    store_.emplace(*rocks_, log_->store(), random_);
    const EngineHarness::Options options{.seed = seed, .limits = RestlessLimits(random_)};
    engine_ = std::make_unique<EngineHarness>(options, *store_, *log_);
    return {};
  }

  SeededRandom random_;
  SystemRandom secret_;
  const std::shared_ptr<Count> dropped_ = std::make_shared<Count>(0);
  NoObserver observer_;
  ViewLedger views_;
  Garbage garbage_{views_};
  std::unique_ptr<RocksStore> rocks_;
  std::unique_ptr<SegmentLog> segments_;
  std::optional<CompactingStore> store_;
  std::optional<Upkeep> upkeep_;
  std::unique_ptr<SegmentCommitLog> log_;
  std::unique_ptr<EngineHarness> engine_;
};

}  // namespace wharf
