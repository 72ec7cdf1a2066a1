#include "broker/daemon/store_care.h"

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
                     const std::string& folder)
    : store_(std::move(store)),
      disk_(folder),
      reserve_(folder),
      lazy_(1),
      keeper_({disk_, *store_, reserve_, gate_,
               [this](std::function<void()> work) { lazy_.Post(std::move(work)); }},
              space, folder),
      upkeep_(garbage, [this](const std::vector<TableRange>& freed) { store_->NoteFreed(freed); }) {
}

void StoreCare::BeginLooks() {
  keeper_.Look();
  looks_ = std::make_unique<Ticker>(kDiskLookPace, [this] { keeper_.Look(); });
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
