// LowCompactions: the threads of RocksDB's own compactions rank low (RankThisThreadLow), so that
// what is awaited goes before them where all cores are busy; its flushes, for which commits wait in
// the end, do not. A compaction tells of its begin on its thread. That of files which somebody
// chose is on a thread of whoever chose them, and ranks as that does.
#pragma once

#include <rocksdb/listener.h>

#include "storage/base/this_thread.h"
#include "storage/rocks/running_compactions.h"

namespace wharf {

class LowCompactions final : public rocksdb::EventListener {
 public:
  void OnCompactionBegin(rocksdb::DB* /*db*/, const rocksdb::CompactionJobInfo& job) override {
    if (RunningCompactions::IsByItself(job)) RankThisThreadLow();
  }
};

}  // namespace wharf
