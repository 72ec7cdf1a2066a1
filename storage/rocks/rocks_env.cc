#include "storage/rocks/rocks_env.h"

#include <thread>

#include "storage/log/manifest_note.h"
#include "storage/log/wal_preallocation.h"
#include "storage/rocks/info_log.h"

namespace wharf {
namespace {

// Does not sleep, and may be ahead of its time.
class TestEnv final : public rocksdb::EnvWrapper {
 public:
  TestEnv(const std::shared_ptr<rocksdb::FileSystem>& file_system, bool may_sleep,
          const std::atomic<std::int64_t>* seconds_ahead)
      : EnvWrapper(rocksdb::NewCompositeEnv(file_system)),
        may_sleep_(may_sleep),
        seconds_ahead_(seconds_ahead) {
    file_system_ = file_system;  // Otherwise RocksDB would go through this class to reach it.
  }

  void SleepForMicroseconds(int micros) override {
    if (may_sleep_) return EnvWrapper::SleepForMicroseconds(micros);
    std::this_thread::yield();
  }

  rocksdb::Status GetCurrentTime(std::int64_t* time) override {
    rocksdb::Status status = EnvWrapper::GetCurrentTime(time);
    if (seconds_ahead_ != nullptr) *time += *seconds_ahead_;
    return status;
  }

 private:
  const bool may_sleep_;
  const std::atomic<std::int64_t>* const seconds_ahead_;
};

}  // namespace

std::unique_ptr<rocksdb::Env> MakeEnv(const std::shared_ptr<rocksdb::FileSystem>& file_system,
                                      bool may_sleep,
                                      const std::atomic<std::int64_t>* seconds_ahead) {
  const auto with_info_log = WithInfoLog(WithManifestNotes(WithSmallWalPreallocation(file_system)));
  if (may_sleep && seconds_ahead == nullptr) return rocksdb::NewCompositeEnv(with_info_log);
  return std::make_unique<TestEnv>(with_info_log, may_sleep, seconds_ahead);
}

}  // namespace wharf
