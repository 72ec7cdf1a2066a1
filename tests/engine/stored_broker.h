// StoredBroker: a broker over a store on disk, that can be closed, damaged and opened again.
//
// Driven step by step as an EngineHarness is; only the commit log and compactions, which drop what
// is garbage, have threads of their own.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "broker/reading/upkeep.h"
#include "broker/schema/change_encoder.h"
#include "broker/schema/garbage.h"
#include "broker/schema/loader.h"
#include "broker/schema/tables.h"
#include "storage/log/segment_commit_log.h"
#include "storage/rocks/rocks_store.h"
#include "tests/harness/engine_harness.h"
#include "tests/harness/single_store.h"
#include "tests/storage/damaged_block.h"
#include "tests/storage/temp_folder.h"

namespace wharf {

class StoredBroker {
 public:
  // Of the store; as wharfd has them.
  struct Sizes {
    std::size_t write_buffer_bytes = 64 << 20;
    std::size_t file_bytes_max = 64 << 20;
  };

  StoredBroker() : StoredBroker(Sizes()) {}
  explicit StoredBroker(const Sizes& sizes) : sizes_(sizes) { Open(); }
  ~StoredBroker() { Close(); }

  EngineHarness& engine() { return *engine_; }
  const std::string& folder() const { return folder_.path(); }
  // With all that is committed.
  RocksStore& store() {
    EXPECT_TRUE(log_->WriteAll().ok());
    return *store_;
  }

  // Until nothing is under way; a broker that goes round in circles never gets there.
  void Settle() {
    do {
      engine_->Run();
      engine_->work().RunUntil([this] { return engine_->shard().turns_in_flight() == 0; });
    } while (engine_->Step());
  }

  void Reopen() {
    Close();
    Open();
  }

  // Everything is in tables then, and the block at this part of the rows of each file of one table
  // cannot be read.
  void Damage(std::string_view table, double part) {
    Close();
    for (const std::string& file : DamagedBlock::FilesOf(folder(), table)) {
      DamagedBlock::FlipAt(file, part);
    }
    Open();
  }
  // The same for the block where this text stands.
  void DamageText(std::string_view text) {
    Close();
    DamagedBlock::FlipIn(folder(), text);
    Open();
  }

 private:
  class NoObserver final : public CommitLog::Observer {
    void OnOpen() override {}
    void OnClosed(Status) override {}
  };

  void Open() {
    garbage_.emplace(views_);
    Result<SingleFolder> opened = OpenSingleStore({.path = folder_.path(),
                                                   .tables = BrokerTables(*garbage_),
                                                   .write_buffer_bytes = sizes_.write_buffer_bytes,
                                                   .file_bytes_max = sizes_.file_bytes_max,
                                                   .may_sleep = false,
                                                   .views = &views_},
                                                  random_);
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    store_ = std::move(opened->store);
    if (LoadFolderState(*store_, "folder")->is_new) {
      const WriteBatch batch = EncodeFormat();
      ASSERT_TRUE(store_->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
    }
    ASSERT_TRUE(garbage_->Load(*store_).ok());
    upkeep_.emplace(*garbage_, [this](const auto& freed) { store_->NoteFreed(freed); });
    log_ = std::make_unique<SegmentCommitLog>(
        SegmentCommitLog::Options(), *store_, std::move(opened->log),
        SegmentCommitLog::World{observer_, &*upkeep_, BrokerStatePosition(), BrokerAppliedIndex()});
    engine_ = std::make_unique<EngineHarness>(EngineHarness::Options{}, log_->store(), *log_);
    ASSERT_TRUE(engine_->started().ok()) << engine_->started().ToString();
  }

  void Close() {
    Settle();
    log_->Stop();
    engine_.reset();
    log_.reset();
    EXPECT_TRUE(store_->CloseCleanly().ok());
    store_.reset();
  }

  const Sizes sizes_;
  const TempFolder folder_;
  SystemRandom random_;
  NoObserver observer_;
  ViewLedger views_;
  std::optional<Garbage> garbage_;
  std::unique_ptr<RocksStore> store_;
  std::optional<Upkeep> upkeep_;
  std::unique_ptr<SegmentCommitLog> log_;
  std::unique_ptr<EngineHarness> engine_;
};

}  // namespace wharf
