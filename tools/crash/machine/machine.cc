#include "tools/crash/machine/machine.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace wharf::crash {
namespace {

namespace fs = std::filesystem;

// It stands beside the program that runs.
std::string Library() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).replace_filename("libfailing_machine.so");
}

Status Failed(const std::string& what) {
  return {ErrorCode::kGeneralError, fmt::format("{}: {}", what, std::strerror(errno))};
}

MachineBoard* MapBoard(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return nullptr;
  const bool has_room = ftruncate(file, sizeof(MachineBoard)) == 0;
  void* const board =
      has_room ? mmap(nullptr, sizeof(MachineBoard), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
               : MAP_FAILED;
  close(file);
  return board == MAP_FAILED ? nullptr : static_cast<MachineBoard*>(board);
}

// Nothing: nobody has opened it to write since there is this machine.
std::optional<std::int64_t> SafeBytes(const std::string& folder, ino_t inode) {
  std::ifstream file(fmt::format("{}/{}/{}", folder, kSyncedFolder, inode), std::ios::binary);
  std::int64_t bytes = 0;
  if (!file.read(reinterpret_cast<char*>(&bytes), sizeof bytes)) return std::nullopt;
  return bytes;
}

// What a file had where it was written over, in the order of the writes.
struct Overwritten {
  std::int64_t begin = 0;
  std::string bytes;
};

std::vector<Overwritten> ReadOldBytes(const std::string& path) {
  std::vector<Overwritten> all;
  std::ifstream file(path, std::ios::binary);
  OldBytesHead head{};
  while (file.read(reinterpret_cast<char*>(&head), sizeof head)) {
    std::string bytes(static_cast<std::size_t>(head.count), '\0');
    // A kill came before all of it was kept, and so before the write.
    if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) break;
    all.push_back({head.begin, std::move(bytes)});
  }
  return all;
}

// The last one first: what it had is not what was safe, but what the one before it wrote.
Status TakeBack(const std::string& path, const std::string& old) {
  const std::vector<Overwritten> all = ReadOldBytes(old);
  if (all.empty()) return {};
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  for (auto each = all.rbegin(); each != all.rend(); ++each) {
    file.seekp(each->begin);
    file.write(each->bytes.data(), static_cast<std::streamsize>(each->bytes.size()));
  }
  if (!file.flush() || !fs::remove(old))
    return Failed("cannot take back what was written to " + path);
  return {};
}

}  // namespace

Result<Machine> Machine::Make(const std::string& folder) {
  if (!fs::exists(Library())) {
    return Status(ErrorCode::kGeneralError, "there is no " + Library());
  }
  std::error_code error;
  fs::create_directories(folder + "/" + kSyncedFolder, error);
  MachineBoard* const board = MapBoard(folder + "/" + kBoardFile);
  if (board == nullptr) return Failed("cannot make a machine in " + folder);
  return Machine(folder, board);
}

Machine::~Machine() {
  if (board_ != nullptr) munmap(board_, sizeof(MachineBoard));
}

Machine::Machine(Machine&& other) noexcept
    : folder_(std::move(other.folder_)), board_(std::exchange(other.board_, nullptr)) {}

std::vector<std::string> Machine::environment() const {
  return {"LD_PRELOAD=" + Library(), fmt::format("{}={}", kMachineVariable, folder_)};
}

void Machine::SetClockAhead(Duration ahead) {
  board_->clock_ahead_microseconds =
      std::chrono::duration_cast<std::chrono::microseconds>(ahead).count();
}

void Machine::SlowDisk(Duration sync) {
  board_->sync_takes_microseconds =
      std::chrono::duration_cast<std::chrono::microseconds>(sync).count();
}

void Machine::Mend() {
  SetClockAhead(Duration(0));
  SlowDisk(Duration(0));
  board_->is_disk_held = false;
  board_->is_disk_full = false;
  board_->is_disk_broken = false;
}

Status Machine::CutPower(const std::string& data) const {
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(data, error)) {
    struct stat status = {};
    if (lstat(entry.path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    WHARF_RETURN_IF_ERROR(TakeBack(entry.path(), fmt::format("{}/{}/{}{}", folder_, kSyncedFolder,
                                                             status.st_ino, kOldBytesEnding)));
    const std::optional<std::int64_t> safe = SafeBytes(folder_, status.st_ino);
    if (!safe || *safe >= status.st_size) continue;
    if (truncate(entry.path().c_str(), *safe) != 0)
      return Failed("cannot cut " + entry.path().string());
  }
  if (!error) return {};
  return {ErrorCode::kGeneralError, fmt::format("cannot walk {}: {}", data, error.message())};
}

}  // namespace wharf::crash
