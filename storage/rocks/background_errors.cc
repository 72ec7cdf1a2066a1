#include "storage/rocks/background_errors.h"

#include <utility>

namespace wharf {

BackgroundErrors::BackgroundErrors(Tell tell) : tell_(std::move(tell)) {}

void BackgroundErrors::OnBackgroundError(rocksdb::BackgroundErrorReason reason,
                                         rocksdb::Status* error) {
  // A listener before this one has taken care of it.
  if (error->ok()) return;
  MutexLock lock(mutex_);
  if (first_.ok()) first_ = *error;
  const bool is_of_table = reason == rocksdb::BackgroundErrorReason::kFlush ||
                           reason == rocksdb::BackgroundErrorReason::kCompaction;
  if (is_of_table) TellOnce(*error);
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
