#include "broker/daemon/cluster/node_format.h"

#include <fmt/core.h>

#include "broker/schema/change_encoder.h"
#include "broker/schema/records.h"
#include "replication/format_level.h"

namespace wharf {
namespace {

// The format that came with that level, whatever else this version knows: all members say the same.
constexpr std::uint64_t kEncodingsFormat = 3;
constexpr std::uint64_t kEventLogsFormat = 5;
constexpr std::uint64_t kUnknownElementsFormat = 6;

// The level from which on all members read rows of that format.
std::uint64_t LevelOf(std::uint64_t format) {
  if (format >= kReplacedKeysFormat) return kReplacedKeysFormatLevel;
  if (format >= kUnknownElementsFormat) return kUnknownElementsFormatLevel;
  if (format >= kEventLogsFormat) return kEventLogsFormatLevel;
  return format >= kEncodingsFormat ? kEncodingsFormatLevel : kFirstFormatLevel;
}

}  // namespace

WriteBatch FormatOfLevel(std::uint64_t level) {
  if (level >= kReplacedKeysFormatLevel) return EncodeFormat(kReplacedKeysFormat);
  if (level >= kUnknownElementsFormatLevel) return EncodeFormat(kUnknownElementsFormat);
  if (level >= kEventLogsFormatLevel) return EncodeFormat(kEventLogsFormat);
  return level < kEncodingsFormatLevel ? WriteBatch() : EncodeFormat(kEncodingsFormat);
}

Status CheckEncodingsAt(std::uint64_t level) {
  if (level >= kEncodingsFormatLevel) return {};
  return {
      ErrorCode::kInvalidOperation,
      fmt::format("the cluster writes level {} of the format, in which what AMQP encoded cannot "
                  "be kept: it is raised when all members can read level {}",
                  level, kEncodingsFormatLevel)};
}

Status CheckEventLogsAt(std::uint64_t level) {
  if (level >= kEventLogsFormatLevel) return {};
  return {ErrorCode::kInvalidOperation,
          fmt::format("the cluster writes level {} of the format, in which an entity cannot have "
                      "an event log: it is raised when all members can read level {}",
                      level, kEventLogsFormatLevel)};
}

bool KeepsUnknownElementsAt(std::uint64_t level) { return level >= kUnknownElementsFormatLevel; }

bool KeepsReplacedKeysAt(std::uint64_t level) { return level >= kReplacedKeysFormatLevel; }

Status CheckFounder(const FolderState& folder, const std::string& path, std::uint64_t level_max) {
  const std::uint64_t level = folder.is_new ? kFirstFormatLevel : LevelOf(folder.format);
  if (level_max >= level) return {};
  return {
      ErrorCode::kInvalidOperation,
      fmt::format("the data folder {} has format {}, which nodes that are held at level {} could "
                  "not read: let peer-format-level-max be {} or more, or do not set it",
                  path, folder.format, level_max, level)};
}

}  // namespace wharf
