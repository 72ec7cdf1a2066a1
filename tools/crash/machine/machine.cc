#include "tools/crash/machine/machine.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

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
    const std::optional<std::int64_t> safe = SafeBytes(folder_, status.st_ino);
    if (!safe || *safe >= status.st_size) continue;
    if (truncate(entry.path().c_str(), *safe) != 0)
      return Failed("cannot cut " + entry.path().string());
  }
  if (!error) return {};
  return {ErrorCode::kGeneralError, fmt::format("cannot walk {}: {}", data, error.message())};
}

}  // namespace wharf::crash
