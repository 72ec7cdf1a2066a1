#include "storage/rocks/background_errors.h"

#include <utility>

namespace wharf {
namespace {

using Reason = rocksdb::BackgroundErrorReason;

bool IsOfTable(Reason reason) { return reason == Reason::kFlush || reason == Reason::kCompaction; }

// RocksDB takes these for mild ones, and goes on taking writes that it never flushes again. Where a
// log has them, its next sync fails; nobody else would hear of it.
bool IsOfUnloggedTable(Reason reason) {
  return reason == Reason::kFlushNoWAL || reason == Reason::kManifestWriteNoWAL;
}

}  // namespace

BackgroundErrors::BackgroundErrors(Tell tell, bool has_log)
    : has_log_(has_log), tell_(std::move(tell)) {}

void BackgroundErrors::OnBackgroundError(rocksdb::BackgroundErrorReason reason,
                                         rocksdb::Status* error) {
  // A listener before this one has taken care of it.
  if (error->ok()) return;
  MutexLock lock(mutex_);
  if (first_.ok()) first_ = *error;
  if (IsOfTable(reason) || (!has_log_ && IsOfUnloggedTable(reason))) TellOnce(*error);
}

// The status is no I/O error if the compaction was broken off.
void BackgroundErrors::OnTableFileCreated(const rocksdb::TableFileCreationInfo& info) {
  if (!info.status.IsIOError()) return;
  MutexLock lock(mutex_);
  TellOnce(info.status);
}

void BackgroundErrors::OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason /*reason*/,
                                            rocksdb::Status /*error*/, bool* auto_recovery) {
  *auto_recovery = false;
}

rocksdb::Status BackgroundErrors::first() const {
  MutexLock lock(mutex_);
  return first_;
}

void BackgroundErrors::TellOnce(const rocksdb::Status& failure) {
  if (tell_) std::exchange(tell_, nullptr)(failure);
}

}  // namespace wharf
