#include "storage/state_position.h"

#include <cstddef>
#include <optional>

namespace wharf {
namespace {

constexpr char kPositionVersion = 1;
constexpr std::size_t kPositionBytes = 17;

std::uint64_t BigEndian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char byte : bytes.substr(0, 8)) number = number << 8 | static_cast<std::uint8_t>(byte);
  return number;
}

void AppendBigEndian(std::uint64_t number, std::string& bytes) {
  for (int shift = 56; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(number >> shift));
}

}  // namespace

Result<StatePosition> StatePositionRow::Read(const Store& store) const {
  const Result<std::optional<std::string>> record = store.View()->Get(table, key);
  if (!record.ok()) return record.status();
  if (!record->has_value()) return StatePosition();
  return Decode(**record);
}

void StatePositionRow::Put(const StatePosition& position, WriteBatch& batch) const {
  std::string record(1, kPositionVersion);
  AppendBigEndian(position.index, record);
  AppendBigEndian(position.term, record);
  record += position.members;
  batch.Put(table, key, record);
}

Result<StatePosition> StatePositionRow::Decode(std::string_view record) const {
  if (record.size() < kPositionBytes || record[0] != kPositionVersion) {
    return Status(ErrorCode::kGeneralError,
                  "the row '" + key + "' of the state is damaged or of a newer format");
  }
  return StatePosition{.index = BigEndian(record.substr(1)),
                       .term = BigEndian(record.substr(9)),
                       .members = std::string(record.substr(kPositionBytes))};
}

}  // namespace wharf
