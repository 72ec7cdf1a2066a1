#include "storage/disk/space_keeper.h"

#include <algorithm>
#include <utility>

#include <spdlog/spdlog.h>

namespace wharf {
namespace {

constexpr std::uint64_t kLoggedUnit = 1 << 20;
// Less waits for an idle broker, and on a disk with room for its time, too.
constexpr std::uint64_t kWorthTidying = 16 << 10;
// Below it receivers get half of the reserve.
constexpr std::uint64_t kLittle = 4 << 20;
// Of the free bytes, where the disk begins to be nearly full.
constexpr std::uint64_t WarnedBelow(std::uint64_t mark_bytes) {
  return mark_bytes + mark_bytes / 2;
}

// Looks between attempts to fill the reserve that failed.
constexpr int kReserveLooks = 240;

}  // namespace

SpaceKeeper::SpaceKeeper(World world, const SpaceLimits& limits, std::string folder)
    : world_(std::move(world)),
      limits_(limits),
      free_bytes_min_(limits.free_bytes_min),
      folder_(std::move(folder)),
      returns_(world_.store, world_.run_lazily, limits.returns) {}

void SpaceKeeper::Look() {
  const std::uint64_t written_bytes = world_.gate.written_bytes();
  // Before the disk is asked: what is flushed in between counts twice then, and else not at all.
  const StoreSpace::Use use = world_.store.use();
  const Result<std::uint64_t> free_bytes = world_.disk.FreeBytes();
  if (!free_bytes.ok()) {
    if (!std::exchange(has_failed_, true)) spdlog::error("{}", free_bytes.status().message());
    return;
  }
  NoteGate();
  const std::uint64_t moved_bytes = world_.store.LimitCompactions(
      *free_bytes - std::min(*free_bytes, use.buffer_bytes + kLittle));
  const std::uint64_t mark_bytes = MarkFor(use, moved_bytes);
  const DiskReport report{StateFor(last_.state, *free_bytes, mark_bytes), *free_bytes, mark_bytes,
                          WarnedBelow(mark_bytes), world_.reserve.bytes()};
  world_.gate.Set(report, written_bytes);
  Tell(report);
  NoteUntidy(report, use, written_bytes);
  last_ = report;
  KeepReserve(report);
  if (WantsTidying()) BeginTidying();
  returns_.Look(report.state != DiskState::kAmple, is_quiet());
}

// What was sent since the last look may have shut the gate by itself. That is told as if it had
// been found here, and ends as slowly.
void SpaceKeeper::NoteGate() {
  if (world_.gate.has_room() || last_.state == DiskState::kFull) return;
  const DiskReport report = world_.gate.report();
  Tell(report);
  last_ = report;
}

std::uint64_t SpaceKeeper::MarkFor(const StoreSpace::Use& use, std::uint64_t moved_bytes) const {
  return free_bytes_min_ + use.buffer_bytes + moved_bytes +
         std::min(use.table_bytes, StoreSpace::kCompactionBytesMax);
}

// Each state is left for a better one only when there is clearly more room, so that they do not
// alternate.
DiskState SpaceKeeper::StateFor(DiskState before, std::uint64_t free_bytes,
                                std::uint64_t mark_bytes) {
  const std::uint64_t full_below =
      before == DiskState::kFull ? mark_bytes + mark_bytes / 8 : mark_bytes;
  const std::uint64_t nearly_full_below =
      before == DiskState::kAmple ? WarnedBelow(mark_bytes) : mark_bytes * 2;
  if (free_bytes < full_below) return DiskState::kFull;
  return free_bytes < nearly_full_below ? DiskState::kNearlyFull : DiskState::kAmple;
}

void SpaceKeeper::Tell(const DiskReport& report) {
  if (report.state == last_.state) return;
  const std::uint64_t free = report.free_bytes / kLoggedUnit;
  const std::uint64_t mark = report.mark_bytes / kLoggedUnit;
  if (report.state == DiskState::kFull) {
    spdlog::warn(
        "the disk of {} has {} MB left: sends are refused below {} MB; receiving, "
        "settling, purging and deleting go on",
        folder_, free, mark);
  } else if (last_.state == DiskState::kFull) {
    spdlog::warn("the disk of {} has {} MB left: sends are taken again", folder_, free);
  } else if (report.state == DiskState::kNearlyFull) {
    spdlog::warn("the disk of {} is nearly full: {} MB are left, and sends are refused below {} MB",
                 folder_, free, mark);
  } else {
    spdlog::info("the disk of {} has {} MB left again", folder_, free);
  }
}

// It is filled only where that brings no refusal about.
void SpaceKeeper::KeepReserve(const DiskReport& report) {
  if (report.free_bytes < kLittle) {
    const std::uint64_t given = world_.reserve.GiveUpTo(DiskReserve::kBytesToStart);
    if (given > 0) spdlog::warn("gave up {} MB of the reserve in {}", given / kLoggedUnit, folder_);
    return;
  }
  const bool has_room = report.free_bytes >= report.mark_bytes + 2 * DiskReserve::kBytes;
  if (!has_room || looks_until_reserve_-- > 0) return;
  looks_until_reserve_ = kReserveLooks;
  const Status filled = world_.reserve.Fill();
  if (!filled.ok()) spdlog::warn("{}", filled.message());
}

void SpaceKeeper::NoteUntidy(const DiskReport& report, const StoreSpace::Use& use,
                             std::uint64_t written_bytes) {
  const std::uint64_t written = written_bytes - std::exchange(written_bytes_, written_bytes);
  looks_since_write_ = written > 0 ? 0 : looks_since_write_ + 1;
  ++looks_since_tidying_;
  untidy_bytes_ += written;
  const bool is_first = !std::exchange(has_looked_, true);
  if (is_first) untidy_bytes_ += use.buffer_bytes;
  // What was put off for want of room may go on.
  const bool has_more_room = report.state < last_.state;
  if (has_more_room) untidy_bytes_ += kWorthTidying;
}

// Deletions that are in memory keep the space of what was deleted, however busy the broker is.
bool SpaceKeeper::WantsTidying() const {
  if (is_tidying_) return false;
  const bool is_awaited = returns_.waits_for_flush();
  if (is_awaited && looks_since_tidying_ >= limits_.trickle_looks) return true;
  if (untidy_bytes_ == 0) return false;
  const bool is_scarce = last_.state != DiskState::kAmple;
  if (is_scarce && looks_since_tidying_ < limits_.tidying_looks) return false;
  if (untidy_bytes_ >= kWorthTidying) return is_scarce || is_quiet();
  return is_quiet() && (is_scarce || looks_since_tidying_ >= limits_.trickle_looks);
}

void SpaceKeeper::BeginTidying() {
  is_tidying_ = true;
  looks_since_tidying_ = 0;
  const std::uint64_t bytes = untidy_bytes_.exchange(0);
  world_.run_lazily([this, bytes] {
    if (!Tidy()) untidy_bytes_ += bytes;
    is_tidying_ = false;
  });
}

// A flush for which there may be no room is left alone: a table that cannot be written would end
// the broker.
bool SpaceKeeper::Tidy() {
  const Result<std::uint64_t> free_bytes = world_.disk.FreeBytes();
  if (!free_bytes.ok() || *free_bytes < world_.store.use().buffer_bytes) return false;
  Status tidied = world_.store.Flush();
  if (tidied.ok()) tidied = world_.store.CompactDead();
  if (!tidied.ok()) spdlog::warn("{}", tidied.message());
  return tidied.ok();
}

}  // namespace wharf
