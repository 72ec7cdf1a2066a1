#include "storage/applied_index_row.h"

#include <cstdint>
#include <optional>

namespace wharf {
namespace {

constexpr char kVersion = 1;
constexpr std::size_t kRowBytes = 9;

}  // namespace

Result<CommitIndex> AppliedIndexRow::Read(const Store& store) const {
  const Result<std::optional<std::string>> record = store.View()->Get(table, key);
  if (!record.ok()) return record.status();
  if (!record->has_value()) return CommitIndex();
  const std::string& bytes = **record;
  if (bytes.size() != kRowBytes || bytes[0] != kVersion) {
    return Status(ErrorCode::kGeneralError,
                  "the row '" + key + "' of the commit log is damaged or of a newer format");
  }
  std::uint64_t index = 0;
  for (const char byte : bytes.substr(1)) index = index << 8 | static_cast<std::uint8_t>(byte);
  return CommitIndex(index);
}

void AppliedIndexRow::Put(CommitIndex index, WriteBatch& batch) const {
  std::string record(1, kVersion);
  for (int shift = 56; shift >= 0; shift -= 8) {
    record.push_back(static_cast<char>(index.value() >> shift));
  }
  batch.Put(table, key, record);
}

}  // namespace wharf
