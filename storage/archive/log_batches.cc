#include "storage/archive/log_batches.h"

#include <optional>
#include <vector>

#include "storage/apply/entry.h"

namespace wharf {
namespace {

constexpr std::size_t kWalkBytes = 4 << 20;

// The rest of a batch whose beginning is cut off.
Result<bool> IsRest(const LogEntry& entry) {
  if (entry.kind != EntryKind::kBatch || entry.data.empty()) return false;
  const Result<DecodedEntry> decoded = DecodeEntry(entry.data);
  if (!decoded.ok()) return decoded.status();
  return decoded->head.part > 0;
}

// Entries in their order, from the first that a batch may begin with.
class EntryWalk {
 public:
  explicit EntryWalk(const std::function<Status(const WholeBatches&)>& take) : take_(take) {}

  Status Add(const LogEntry& entry) {
    if (!has_begun_) {
      const Result<bool> is_rest = IsRest(entry);
      if (!is_rest.ok()) return is_rest.status();
      if (*is_rest) return {};
      has_begun_ = entry.kind == EntryKind::kBatch && !entry.data.empty();
    }
    const Result<std::optional<WholeBatches>> whole = assembler_.Add(entry);
    if (!whole.ok()) return whole.status();
    const bool has_batches = *whole && !(*whole)->head.is_check;
    return has_batches ? take_(**whole) : Status();
  }

 private:
  const std::function<Status(const WholeBatches&)>& take_;
  EntryAssembler assembler_;
  bool has_begun_ = false;
};

}  // namespace

Status WalkBatches(const EntryLog& log, std::uint64_t before, std::uint64_t last,
                   const std::function<Status(const WholeBatches&)>& take) {
  EntryWalk walk(take);
  for (std::uint64_t next = before + 1; next <= last;) {
    const Result<std::vector<LogEntry>> read = log.Read(next, last + 1, kWalkBytes);
    if (!read.ok()) return read.status();
    for (const LogEntry& entry : *read) WHARF_RETURN_IF_ERROR(walk.Add(entry));
    next += read->size();
  }
  return {};
}

Result<std::uint64_t> CountBatches(const EntryLog& log, std::uint64_t before, std::uint64_t last) {
  std::uint64_t batches = 0;
  const Status walked = WalkBatches(log, before, last, [&batches](const WholeBatches& whole) {
    batches += whole.head.batches;
    return Status();
  });
  if (!walked.ok()) return walked;
  return batches;
}

}  // namespace wharf
