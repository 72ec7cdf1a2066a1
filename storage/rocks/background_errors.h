// BackgroundErrors: what goes wrong in RocksDB where nobody waits for it.
//
// Remembers the first thing that went wrong in the background, tells of a flush or compaction that
// cannot write, and keeps RocksDB from trying again what the disk refused: the commit log closes,
// and a start is the way back. Part of a RocksStore; called on RocksDB's threads.
#pragma once

#include <functional>

#include <rocksdb/listener.h>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"

namespace wharf {

class BackgroundErrors final : public rocksdb::EventListener {
 public:
  // Hears of the first table that cannot be written; may be empty.
  using Tell = std::function<void(const rocksdb::Status&)>;

  // Of a store that has a write-ahead log, or of a state without one.
  BackgroundErrors(Tell tell, bool has_log);

  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) override;
  // The earliest that is heard of a table that could not be written.
  void OnTableFileCreated(const rocksdb::TableFileCreationInfo& info) override;
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason reason, rocksdb::Status error,
                            bool* auto_recovery) override;

  rocksdb::Status first() const;

 private:
  void TellOnce(const rocksdb::Status& failure) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const bool has_log_;

  mutable Mutex mutex_;
  Tell tell_ ABSL_GUARDED_BY(mutex_);
  rocksdb::Status first_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf
