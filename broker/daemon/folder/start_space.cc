#include "broker/daemon/folder/start_space.h"

#include <spdlog/spdlog.h>

namespace wharf {
namespace {

constexpr std::uint64_t kMegabyte = 1 << 20;
// With less the reserve goes.
constexpr std::uint64_t kLittle = 16 << 20;
// What the store may write while it starts: the rows of its log, in tables.
constexpr std::uint64_t kStoreStart = 160 << 20;

}  // namespace

// A folder that does not exist yet has no log to read.
bool MakeRoomToStart(const DiskSpace& disk, DiskReserve& reserve, const std::string& folder) {
  const Result<std::uint64_t> free_bytes = disk.FreeBytes();
  if (!free_bytes.ok() || *free_bytes >= kStoreStart) return false;
  if (*free_bytes < kLittle && reserve.GiveUpTo(0) > 0) {
    spdlog::warn("the disk of {} has {} MB left: gave up the reserve to start", folder,
                 *free_bytes / kMegabyte);
  }
  return true;
}

}  // namespace wharf
