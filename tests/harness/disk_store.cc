#include "tests/harness/disk_store.h"

#include <stdexcept>
#include <utility>

#include "storage/rocks/random_compaction.h"

namespace wharf {
namespace {

constexpr std::size_t kWriteBufferBytes = 1 << 20;
constexpr std::size_t kFileBytes = 16 << 10;
constexpr std::uint64_t kLooksBetween = 40;
constexpr std::uint64_t kWritesBetweenFlushes = 40;

void OrThrow(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

}  // namespace

DiskStore::DiskStore(TableSet tables, ViewLedger& views)
    : tables_(std::move(tables)), views_(views) {
  Open();
}

void DiskStore::Open() {
  auto opened = RocksStore::Open({.path = folder_.path(),
                                  .tables = tables_,
                                  .write_buffer_bytes = kWriteBufferBytes,
                                  .file_bytes_max = kFileBytes,
                                  .may_sleep = false,
                                  .views = &views_});
  OrThrow(opened.status());
  rocks_ = *std::move(opened);
}

std::unique_ptr<StoreView> DiskStore::View() const {
  if (IsDrawn(kLooksBetween)) OrThrow(RandomCompaction(*rocks_, *lot_).Run());
  return rocks_->View();
}

Status DiskStore::Apply(std::span<const WriteBatch> batches) {
  if (Status status = rocks_->Write(batches, RocksStore::Sync::kNo); !status.ok()) return status;
  return IsDrawn(kWritesBetweenFlushes) ? rocks_->Flush() : Status::Ok();
}

void DiskStore::DropGarbageAtRandom(std::uint64_t seed) { lot_.emplace(seed); }

void DiskStore::DropGarbage() { OrThrow(rocks_->CompactAll()); }

void DiskStore::BeginAnew(const std::function<void()>& meanwhile) {
  rocks_.reset();
  meanwhile();
  Open();
}

bool DiskStore::IsDrawn(std::uint64_t one_in) const { return lot_ && lot_->Next() % one_in == 0; }

}  // namespace wharf
