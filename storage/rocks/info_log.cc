#include "storage/rocks/info_log.h"

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>

#include <pthread.h>
#include <rocksdb/env.h>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"

namespace wharf {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

// Local time and the thread, as in every other LOG of RocksDB.
std::string LinePrefix() {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  std::tm local = {};
  localtime_r(&now.tv_sec, &local);
  char date[32];
  std::strftime(date, sizeof(date), "%Y/%m/%d-%H:%M:%S", &local);
  char prefix[96];
  std::snprintf(prefix, sizeof(prefix), "%s.%06ld %llu ", date, now.tv_nsec / 1000,
                static_cast<unsigned long long>(pthread_self()));
  return prefix;
}

// Adds what printf would print.
void AppendFormatted(std::string& line, const char* format, std::va_list arguments) {
  std::va_list counted;
  va_copy(counted, arguments);
  const int size = std::vsnprintf(nullptr, 0, format, counted);
  va_end(counted);
  if (size <= 0) return;
  const std::size_t begin = line.size();
  line.resize(begin + size + 1);  // And the zero behind it.
  std::vsnprintf(line.data() + begin, size + 1, format, arguments);
  line.pop_back();
}

// Every line goes straight to the file: what RocksDB says last is what one wants to read after a
// crash.
class InfoLog final : public rocksdb::Logger {
 public:
  explicit InfoLog(std::unique_ptr<rocksdb::FSWritableFile> file) : file_(std::move(file)) {}
  ~InfoLog() override { Close().PermitUncheckedError(); }

  using rocksdb::Logger::Logv;
  void Logv(const char* format, std::va_list arguments) override {
    std::string line = LinePrefix();
    AppendFormatted(line, format, arguments);
    if (line.back() != '\n') line.push_back('\n');
    Append(line);
  }

  void Flush() override {}  // Nothing is held back.

  // RocksDB begins a new file when this one is large enough.
  std::size_t GetLogFileSize() const override {
    MutexLock lock(mutex_);
    return file_->GetFileSize(no_options_, nullptr);
  }

 protected:
  rocksdb::Status CloseImpl() override {
    MutexLock lock(mutex_);
    return file_->Close(no_options_, nullptr);
  }

 private:
  void Append(std::string_view line) {
    MutexLock lock(mutex_);
    const rocksdb::Slice bytes(line.data(), line.size());
    file_->Append(bytes, no_options_, nullptr).PermitUncheckedError();
  }

  const IOOptions no_options_;
  mutable Mutex mutex_;
  const std::unique_ptr<rocksdb::FSWritableFile> file_ ABSL_PT_GUARDED_BY(mutex_);
};

class InfoLogFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;

  const char* Name() const override { return "wharf.info-log"; }

  IOStatus NewLogger(const std::string& path, const IOOptions& options,
                     std::shared_ptr<rocksdb::Logger>* logger, IODebugContext* debug) override {
    rocksdb::FileOptions file_options;
    file_options.io_options = options;
    std::unique_ptr<rocksdb::FSWritableFile> file;
    IOStatus status = NewWritableFile(path, file_options, &file, debug);
    if (status.ok()) *logger = std::make_shared<InfoLog>(std::move(file));
    return status;
  }
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> WithInfoLog(
    const std::shared_ptr<rocksdb::FileSystem>& file_system) {
  return std::make_shared<InfoLogFileSystem>(file_system);
}

}  // namespace wharf
