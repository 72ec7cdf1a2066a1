// GroupMark: tells a group of this store's log from bytes that only look like one.
//
// A body may hold anything, also records that a log could hold: another log, or this very one. So
// each group begins with the name that the store got when it was made, which no sender can know,
// and counts only behind groups with lower sequence numbers: a copy of this log is older than the
// group that carries it. The name is RocksDB's file IDENTITY. In the log
//
//   group = sequence number (8) · number of writes (4) · log data (1) · size (1) · name · writes
//
// Used by RocksStore, which writes it, and by WalCheck, which looks for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "storage/base/status.h"

namespace rocksdb {
class FileSystem;
}

namespace wharf {

class GroupMark {
 public:
  // Before the mark itself.
  static constexpr std::size_t kHeadBytes = 12;

  explicit GroupMark(std::string name);

  // What a group carries as its log data.
  const std::string& name() const { return name_; }
  // As it stands in the log.
  const std::string& bytes() const { return bytes_; }
  // Of the start of a group: as much as is looked at.
  std::size_t start_bytes() const { return kHeadBytes + bytes_.size(); }

  // Whether a group that starts so is one of this store.
  bool IsIn(std::string_view start) const {
    return start.size() >= start_bytes() && start.substr(kHeadBytes).starts_with(bytes_);
  }
  // 0 if there is too little of it.
  static std::uint64_t SequenceOf(std::string_view start);

 private:
  std::string name_;
  std::string bytes_;
};

// The mark of the store in a folder; of one that is yet to be made: nobody's. An error if the file
// is lost.
Result<GroupMark> ReadGroupMark(rocksdb::FileSystem& file_system, const std::string& folder);

}  // namespace wharf
