#include "broker/daemon/folder/store_care.h"

#include <chrono>
#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

namespace wharf {
namespace {

// Of looks at the disk.
constexpr Duration kDiskLookPace = std::chrono::milliseconds(250);

}  // namespace

StoreCare::StoreCare(std::unique_ptr<RocksStore> store, Garbage& garbage, const SpaceLimits& space,
                     const std::string& folder, Duration compaction_pace)
    : store_(std::move(store)),
      disk_(folder),
      compaction_(*store_, random_),
      compaction_pace_(compaction_pace),
      reserve_(folder),
      lazy_("wharf:upkeep", 1, ThreadPool::Rank::kLow),
      keeper_({disk_, *store_, reserve_, gate_,
               [this](std::function<void()> work) { lazy_.Post(std::move(work)); }},
              space, folder),
      upkeep_(garbage, [this](const std::vector<TableRange>& freed) { store_->NoteFreed(freed); }) {
}

void StoreCare::BeginLooks() {
  keeper_.Look();
  looks_ = std::make_unique<Ticker>(kDiskLookPace, [this] { keeper_.Look(); });
  if (compaction_pace_ > Duration(0)) BeginCompactions();
}

// One that takes longer than the pace is not followed by those that were due meanwhile.
void StoreCare::BeginCompactions() {
  compactions_ = std::make_unique<Ticker>(compaction_pace_, [this] {
    if (is_compacting_.exchange(true)) return;
    lazy_.Post([this] {
      CompactAtRandom();
      is_compacting_ = false;
    });
  });
}

// Of what is in memory no compaction knows; a table for which there may be no room is not begun, as
// in tidying. What fails is for later, or has ended the broker as any compaction would.
void StoreCare::CompactAtRandom() {
  const Result<std::uint64_t> free_bytes = disk_.FreeBytes();
  const bool has_room = free_bytes.ok() && *free_bytes >= store_->use().buffer_bytes;
  if (has_room && random_.Next() % 2 == 0) static_cast<void>(store_->Flush());
  static_cast<void>(compaction_.Run());
}

void StoreCare::EndLooks() {
  compactions_.reset();
  looks_.reset();
}

void StoreCare::Close(bool is_healthy, const std::function<void()>& expect_silence) {
  Status ended;
  if (is_healthy) {
    expect_silence();
    ended = store_->EndWork();
  }
  lazy_.Stop();
  if (!is_healthy) return;
  const Status closed = store_->CloseCleanly();
  for (const Status& each : {ended, closed}) {
    if (!each.ok()) spdlog::warn("the store was not closed cleanly: {}", each.message());
  }
}

}  // namespace wharf
