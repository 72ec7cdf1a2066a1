#include "broker/daemon/node_format.h"

#include <fmt/core.h>

#include "broker/schema/change_encoder.h"
#include "broker/schema/records.h"
#include "replication/format_level.h"

namespace wharf {
namespace {

// The format that came with that level, whatever else this version knows: all members say the same.
constexpr std::uint64_t kEncodingsFormat = 3;

}  // namespace

WriteBatch FormatOfLevel(std::uint64_t level) {
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

Status CheckFounder(const FolderState& folder, const std::string& path, std::uint64_t level_max) {
  const bool is_of_this_format = !folder.is_new && !folder.is_older;
  if (!is_of_this_format || level_max >= kEncodingsFormatLevel) return {};
  return {
      ErrorCode::kInvalidOperation,
      fmt::format("the data folder {} has format {}, which nodes that are held at level {} could "
                  "not read: let peer-format-level-max be {} or more, or do not set it",
                  path, kFormatVersion, level_max, kEncodingsFormatLevel)};
}

}  // namespace wharf
