#include "storage/rocks/rocks_env.h"

#include <thread>

#include "storage/log/manifest_note.h"
#include "storage/log/wal_preallocation.h"
#include "storage/rocks/info_log.h"

namespace wharf {
namespace {

class SleeplessEnv final : public rocksdb::EnvWrapper {
 public:
  explicit SleeplessEnv(const std::shared_ptr<rocksdb::FileSystem>& file_system)
      : EnvWrapper(rocksdb::NewCompositeEnv(file_system)) {
    file_system_ = file_system;  // Otherwise RocksDB would go through this class to reach it.
  }

  void SleepForMicroseconds(int) override { std::this_thread::yield(); }
};

}  // namespace

std::unique_ptr<rocksdb::Env> MakeEnv(const std::shared_ptr<rocksdb::FileSystem>& file_system,
                                      bool may_sleep) {
  const auto with_info_log = WithInfoLog(WithManifestNotes(WithSmallWalPreallocation(file_system)));
  if (may_sleep) return rocksdb::NewCompositeEnv(with_info_log);
  return std::make_unique<SleeplessEnv>(with_info_log);
}

}  // namespace wharf
