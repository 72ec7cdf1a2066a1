#include "storage/rocks_env.h"

#include <thread>

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
  if (may_sleep) return rocksdb::NewCompositeEnv(file_system);
  return std::make_unique<SleeplessEnv>(file_system);
}

}  // namespace wharf
