#include "storage/log/group_mark.h"

#include <cassert>
#include <utility>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include "storage/rocks/rocks_status.h"

namespace wharf {
namespace {

// RocksDB's kTypeLogData, and a size that takes one byte.
constexpr char kLogData = 0x3;
constexpr std::size_t kNameBytesMax = 127;

}  // namespace

GroupMark::GroupMark(std::string name) : name_(std::move(name)) {
  assert(name_.size() <= kNameBytesMax);
  bytes_ = {kLogData, static_cast<char>(name_.size())};
  bytes_ += name_;
}

std::uint64_t GroupMark::SequenceOf(std::string_view start) {
  if (start.size() < sizeof(std::uint64_t)) return 0;
  std::uint64_t sequence = 0;
  for (std::size_t i = sizeof(sequence); i > 0; --i) {
    sequence = sequence << 8 | static_cast<std::uint8_t>(start[i - 1]);
  }
  return sequence;
}

Result<GroupMark> ReadGroupMark(rocksdb::FileSystem& file_system, const std::string& folder) {
  const auto exists = [&](const char* name) {
    return file_system.FileExists(folder + name, rocksdb::IOOptions(), nullptr).ok();
  };
  if (!exists("/CURRENT")) return GroupMark("");
  if (!exists("/IDENTITY")) {
    return Status(ErrorCode::kGeneralError,
                  folder + " has lost its file IDENTITY; restore the folder from a backup");
  }
  std::string name;
  const rocksdb::Status status =
      rocksdb::ReadFileToString(&file_system, folder + "/IDENTITY", &name);
  if (!status.ok()) return FromRocks(status, "cannot read " + folder + "/IDENTITY");
  while (name.ends_with('\n')) name.pop_back();
  if (name.empty() || name.size() > kNameBytesMax) {
    return Status(ErrorCode::kGeneralError,
                  folder + "/IDENTITY is damaged; restore the folder from a backup");
  }
  return GroupMark(std::move(name));
}

}  // namespace wharf
