#include "storage/apply/catch_up.h"

#include <utility>
#include <vector>

#include <fmt/core.h>

#include "storage/apply/batch_applier.h"
#include "storage/apply/positioned_store.h"

namespace wharf {
namespace {

// How much is read at one go, and written as one.
constexpr std::size_t kReplayBytes = 4 << 20;

Status CheckFits(const std::string& path, const StatePosition& position, const EntryLog& log) {
  const std::uint64_t begin = log.start().index;
  const std::uint64_t end = log.last_index();
  if (begin <= position.index && position.index <= end) return {};
  return Status::Damage(
      fmt::format("{} is as of entry {}, and its log has the entries behind {} up to {}; restore "
                  "the folder from a backup",
                  path, position.index, begin, end));
}

Status Replay(const EntryLog& log, BatchApplier& applier) {
  const std::uint64_t end = log.last_index() + 1;
  for (std::uint64_t next = applier.position().index + 1; next < end;) {
    Result<std::vector<LogEntry>> read = log.Read(next, end, kReplayBytes);
    if (!read.ok()) return read.status();
    next += read->size();
    std::vector<CommittedEntry> entries;
    entries.reserve(read->size());
    for (LogEntry& entry : *read) entries.push_back({std::move(entry), std::nullopt});
    WHARF_RETURN_IF_ERROR(applier.Add(entries));
    WHARF_RETURN_IF_ERROR(applier.Write(applier.Take()));
  }
  return {};
}

}  // namespace

Result<CaughtUpTo> CatchUp(RocksStore& store, const EntryLog& log, const StatePositionRow& position,
                           const AppliedIndexRow& index) {
  const Result<CommitIndex> last = index.Read(store);
  if (!last.ok()) return last.status();
  const Result<StatePosition> begin = position.Read(store);
  if (!begin.ok()) return begin.status();
  WHARF_RETURN_IF_ERROR(CheckFits(store.path(), *begin, log));
  PositionedStore state(store, position);
  BatchApplier applier({state, nullptr, index}, *begin, *last);
  WHARF_RETURN_IF_ERROR(Replay(log, applier));
  return CaughtUpTo{applier.position(), applier.last()};
}

}  // namespace wharf
