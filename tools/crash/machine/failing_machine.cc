// failing_machine: a machine whose clock and disk do what a MachineBoard says, for a daemon that
// runs with LD_PRELOAD of this library.
//
// It also notes of each file how much of it is synced, and what stood where a synced part was
// written over since, as a power cut takes back what was not synced (Machine). The names of files
// are kept. On a disk that is held they wait in user space, so that the process can still end; a
// real disk would not let it.
//
// Its functions stand in for those of the C library, on any thread of the daemon.

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <string>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/crash/machine/machine_board.h"

namespace {

using wharf::crash::MachineBoard;

// What this library itself asks of the system passes by the functions below.
int OpenFile(const char* path, int flags) {
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0600));
}

const char* Folder() {
  static const char* const kFolder = std::getenv(wharf::crash::kMachineVariable);
  return kFolder;
}

// One on which all is well, where there is no other.
MachineBoard* OpenBoard() {
  static MachineBoard all_is_well{};
  if (Folder() == nullptr) return &all_is_well;
  char path[PATH_MAX];
  std::snprintf(path, sizeof path, "%s/%s", Folder(), wharf::crash::kBoardFile);
  const int file = OpenFile(path, O_RDWR);
  if (file < 0) return &all_is_well;
  void* const board =
      mmap(nullptr, sizeof(MachineBoard), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  syscall(SYS_close, file);
  return board == MAP_FAILED ? &all_is_well : static_cast<MachineBoard*>(board);
}

const MachineBoard& Board() {
  static const MachineBoard* const kBoard = OpenBoard();
  return *kBoard;
}

// Of the C library, or of whoever else stands before it.
template <typename Function>
Function Real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// --- what a power cut leaves

// The number of bytes of a file that are safe is in a file of its own, which outlives this process.
class SafeLength {
 public:
  explicit SafeLength(ino_t inode) {
    std::snprintf(path_, sizeof path_, "%s/%s/%ju", Folder(), wharf::crash::kSyncedFolder,
                  static_cast<std::uintmax_t>(inode));
  }

  void Write(std::int64_t bytes) const {
    const int file = OpenFile(path_, O_WRONLY | O_CREAT);
    if (file < 0) return;
    syscall(SYS_pwrite64, file, &bytes, sizeof bytes, 0);
    syscall(SYS_close, file);
  }

  // Zero: nothing, or it is not known.
  std::int64_t Read() const {
    std::int64_t safe = 0;
    const int file = OpenFile(path_, O_RDONLY);
    if (file < 0) return 0;
    const bool is_known = syscall(SYS_pread64, file, &safe, sizeof safe, 0) == sizeof safe;
    syscall(SYS_close, file);
    return is_known ? safe : 0;
  }

  void Shorten(std::int64_t bytes) const {
    if (Read() > bytes) Write(bytes);
  }

 private:
  char path_[PATH_MAX];
};

// What stood in the safe part of a file where it was written over since, in the order of the
// writes: in a file of its own, which outlives this process, too (OldBytesHead, and the bytes).
class OldBytes {
 public:
  explicit OldBytes(ino_t inode) : safe_(inode) {
    std::snprintf(path_, sizeof path_, "%s/%s/%ju%s", Folder(), wharf::crash::kSyncedFolder,
                  static_cast<std::uintmax_t>(inode), wharf::crash::kOldBytesEnding);
  }

  // Before so many bytes are written there.
  void Keep(int file, off_t begin, std::size_t count) const {
    const std::int64_t safe = safe_.Read();
    if (begin >= safe) return;
    const auto kept = std::min<std::int64_t>(static_cast<std::int64_t>(count), safe - begin);
    const std::string old = Read(file, begin, static_cast<std::size_t>(kept));
    const wharf::crash::OldBytesHead head{begin, static_cast<std::int64_t>(old.size())};
    std::string record(reinterpret_cast<const char*>(&head), sizeof head);
    record += old;
    const std::lock_guard lock(mutex());
    const int journal = OpenFile(path_, O_WRONLY | O_CREAT | O_APPEND);
    if (journal < 0) return;
    syscall(SYS_write, journal, record.data(), record.size());
    syscall(SYS_close, journal);
  }

  off_t size() const {
    struct stat status = {};
    return stat(path_, &status) == 0 ? status.st_size : 0;
  }

  // What is written over meanwhile may be safe by now or not, and is not.
  void Forget(off_t bytes) const {
    if (bytes == 0) return;
    const std::lock_guard lock(mutex());
    const int journal = OpenFile(path_, O_RDWR);
    if (journal < 0) return;
    std::string rest(static_cast<std::size_t>(size() - bytes), '\0');
    syscall(SYS_pread64, journal, rest.data(), rest.size(), bytes);
    syscall(SYS_ftruncate, journal, 0);
    syscall(SYS_pwrite64, journal, rest.data(), rest.size(), 0);
    syscall(SYS_close, journal);
  }

 private:
  static std::mutex& mutex() {
    static std::mutex mutex;
    return mutex;
  }

  // It may be open for writing alone.
  static std::string Read(int file, off_t begin, std::size_t count) {
    char path[PATH_MAX];
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    std::string bytes(count, '\0');
    const int reading = OpenFile(path, O_RDONLY);
    if (reading < 0) return {};
    const auto read = syscall(SYS_pread64, reading, bytes.data(), bytes.size(), begin);
    syscall(SYS_close, reading);
    bytes.resize(read < 0 ? 0 : static_cast<std::size_t>(read));
    return bytes;
  }

  SafeLength safe_;
  char path_[PATH_MAX];
};

// Whether it is a regular file, and which.
bool Look(int file, struct stat& status) {
  return Folder() != nullptr && fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

void NoteOpened(int file, int flags) {
  struct stat status = {};
  if ((flags & O_ACCMODE) == O_RDONLY || !Look(file, status)) return;
  if (status.st_size > 0) return;
  SafeLength(status.st_ino).Write(0);
  // Of another file, which had this place before.
  const OldBytes others(status.st_ino);
  others.Forget(others.size());
}

// --- the disk

constexpr std::int64_t kPauseMicroseconds = 2'000;

// What is mended meanwhile keeps nobody any longer.
void WaitForTheDisk() {
  const timespec pause{0, kPauseMicroseconds * 1'000};
  for (std::int64_t waited = 0; Board().is_disk_held || waited < Board().sync_takes_microseconds;
       waited += kPauseMicroseconds) {
    nanosleep(&pause, nullptr);
  }
}

// What is written while a sync is under way may be safe or not.
int SyncWith(int (*real)(int), int file) {
  WaitForTheDisk();
  if (Board().is_disk_broken) {
    errno = EIO;
    return -1;
  }
  struct stat before = {};
  const bool is_file = Look(file, before);
  const off_t old_bytes = is_file ? OldBytes(before.st_ino).size() : 0;
  const int result = real(file);
  if (result == 0 && is_file) {
    SafeLength(before.st_ino).Write(before.st_size);
    OldBytes(before.st_ino).Forget(old_bytes);
  }
  return result;
}

void NoteWriting(int file, off_t begin, std::size_t count) {
  struct stat status = {};
  if (Look(file, status)) OldBytes(status.st_ino).Keep(file, begin, count);
}

bool IsFullFor(int file, std::int64_t end) {
  struct stat status = {};
  return Board().is_disk_full && Look(file, status) && end > status.st_size;
}

ssize_t RefuseToGrow() {
  errno = ENOSPC;
  return -1;
}

int OpenWith(int (*real)(const char*, int, ...), const char* path, int flags, mode_t mode) {
  const int file = real(path, flags, mode);
  if (file >= 0) NoteOpened(file, flags);
  return file;
}

}  // namespace

// --- the clock

// Of C++ alone: what others in the process (gRPC) wait for by the wall clock goes on as usual.
std::chrono::system_clock::time_point WallClock() noexcept
    __asm__("_ZNSt6chrono3_V212system_clock3nowEv");

std::chrono::system_clock::time_point WallClock() noexcept {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::chrono::system_clock::time_point(
      std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec) +
      std::chrono::microseconds(Board().clock_ahead_microseconds));
}

extern "C" {

int fsync(int file) {
  static const auto kReal = Real<int (*)(int)>("fsync");
  return SyncWith(kReal, file);
}

int fdatasync(int file) {
  static const auto kReal = Real<int (*)(int)>("fdatasync");
  return SyncWith(kReal, file);
}

int open(const char* path, int flags, ...) {
  static const auto kReal = Real<int (*)(const char*, int, ...)>("open");
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return OpenWith(kReal, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  static const auto kReal = Real<int (*)(const char*, int, ...)>("open64");
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return OpenWith(kReal, path, flags, mode);
}

int ftruncate(int file, off_t bytes) noexcept {
  static const auto kReal = Real<int (*)(int, off_t)>("ftruncate");
  if (IsFullFor(file, bytes)) return static_cast<int>(RefuseToGrow());
  const int result = kReal(file, bytes);
  struct stat status = {};
  if (result == 0 && Look(file, status)) SafeLength(status.st_ino).Shorten(bytes);
  return result;
}

ssize_t write(int file, const void* bytes, size_t count) {
  static const auto kReal = Real<ssize_t (*)(int, const void*, size_t)>("write");
  struct stat status = {};
  if (Look(file, status)) {
    const off_t begin = lseek(file, 0, SEEK_CUR);
    if (IsFullFor(file, begin + static_cast<off_t>(count))) return RefuseToGrow();
    NoteWriting(file, begin, count);
  }
  return kReal(file, bytes, count);
}

ssize_t pwrite(int file, const void* bytes, size_t count, off_t begin) {
  static const auto kReal = Real<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
  if (IsFullFor(file, begin + static_cast<off_t>(count))) return RefuseToGrow();
  NoteWriting(file, begin, count);
  return kReal(file, bytes, count, begin);
}

int fallocate(int file, int mode, off_t begin, off_t bytes) {
  static const auto kReal = Real<int (*)(int, int, off_t, off_t)>("fallocate");
  if (IsFullFor(file, begin + bytes)) return static_cast<int>(RefuseToGrow());
  return kReal(file, mode, begin, bytes);
}

int posix_fallocate(int file, off_t begin, off_t bytes) {
  static const auto kReal = Real<int (*)(int, off_t, off_t)>("posix_fallocate");
  if (IsFullFor(file, begin + bytes)) return ENOSPC;
  return kReal(file, begin, bytes);
}

}  // extern "C"
