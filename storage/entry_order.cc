#include "storage/entry_order.h"

#include <fmt/core.h>

namespace wharf {
namespace {

template <typename... Args>
Status Refuse(fmt::format_string<Args...> text, Args&&... args) {
  return {ErrorCode::kInvalidOperation, fmt::format(text, std::forward<Args>(args)...)};
}

}  // namespace

Status CheckAppend(const EntryLog& log, std::span<const LogEntry> entries) {
  if (entries.empty()) return {};
  const std::uint64_t first = entries.front().index;
  if (first <= log.start().index || first > log.last_index() + 1) {
    return Refuse("entry {} cannot be appended to a log of the entries behind {} up to {}", first,
                  log.start().index, log.last_index());
  }
  std::uint64_t expected = first;
  for (const LogEntry& entry : entries) {
    if (entry.index != expected) {
      return Refuse("entry {} cannot be appended where {} belongs", entry.index, expected);
    }
    ++expected;
  }
  return {};
}

Status CheckRead(const EntryLog& log, std::uint64_t first, std::uint64_t end) {
  if (log.start().index < first && first < end && end <= log.last_index() + 1) return {};
  return Refuse("entries {} up to but not {} cannot be read from a log of those behind {} up to {}",
                first, end, log.start().index, log.last_index());
}

Status CheckCut(std::uint64_t index, std::uint64_t synced) {
  if (index <= synced) return {};
  return Refuse("the log cannot be cut up to {}: only entries up to {} are synced", index, synced);
}

}  // namespace wharf
