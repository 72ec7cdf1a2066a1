// held_disk: a disk, or a reader of the log, that stops answering, for a daemon that runs with
// LD_PRELOAD of this library.
//
// While there is a file of the name that WHARF_HELD_DISK says, whoever syncs a file waits, of those
// whose path has what WHARF_HELD_FOLDER says, or of all, and says so by a second one whose name
// ends in ".waits". While there is one that WHARF_HELD_LOG says, whoever writes a line of the log
// waits, as at a pipe that nobody reads. They wait in user space, so that the process can still
// end; a real disk would not let it.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

namespace {

void SayThatOneWaits(const char* hold) {
  char name[4096];
  std::snprintf(name, sizeof name, "%s.waits", hold);
  const int file = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (file >= 0) close(file);
}

// Whether it is on the disk that does not answer.
bool IsOnIt(int file) {
  const char* const folder = std::getenv("WHARF_HELD_FOLDER");
  if (folder == nullptr) return true;
  char link[64];
  char path[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return false;
  path[size] = '\0';
  return std::strstr(path, folder) != nullptr;
}

void WaitWhileThereIs(const char* hold) {
  const timespec pause{0, 5'000'000};
  while (access(hold, F_OK) == 0) nanosleep(&pause, nullptr);
}

void WaitForTheDisk(int file) {
  const char* hold = std::getenv("WHARF_HELD_DISK");
  if (hold == nullptr || access(hold, F_OK) != 0 || !IsOnIt(file)) return;
  SayThatOneWaits(hold);
  WaitWhileThereIs(hold);
}

int SyncWith(const char* name, int file) {
  WaitForTheDisk(file);
  const auto real = reinterpret_cast<int (*)(int)>(dlsym(RTLD_NEXT, name));
  return real(file);
}

}  // namespace

extern "C" {

int fsync(int file) { return SyncWith("fsync", file); }

int fdatasync(int file) { return SyncWith("fdatasync", file); }

std::size_t fwrite(const void* bytes, std::size_t size, std::size_t count, FILE* file) {
  const char* hold = std::getenv("WHARF_HELD_LOG");
  if (hold != nullptr && file == stderr) WaitWhileThereIs(hold);
  using Write = std::size_t (*)(const void*, std::size_t, std::size_t, FILE*);
  static const auto real = reinterpret_cast<Write>(dlsym(RTLD_NEXT, "fwrite"));
  return real(bytes, size, count, file);
}

}  // extern "C"
