// ArchiveFolder: the archive of one broker, or of one node: its files, the runs in them, and which
// may go.
//
// A value; every call looks at the disk. Any thread, also while the files are written: what is not
// whole yet is not there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "storage/archive/archive_format.h"
#include "storage/base/status.h"

namespace rocksdb {
class FileSystem;
}

namespace wharf {

struct ArchiveFile {
  ArchiveFileName name{};
  std::uint64_t bytes = 0;
};

// Commits without a gap, as far as the first and the last of its files say.
struct ArchiveRun {
  std::uint64_t run = 0;
  CommitIndex first{};
  CommitIndex last{};
  // Broker time of both.
  Timestamp first_time{};
  Timestamp last_time{};
  std::uint64_t bytes = 0;
  // The public key that it is encrypted to; empty: it is in the clear.
  std::string encrypted_to{};

  bool has_commits() const { return last >= first; }
  // Whether what is behind so many commits is there.
  bool GoesOnBehind(std::uint64_t commits) const {
    return first.value() <= commits + 1 && last.value() > commits;
  }
};

class ArchiveFolder {
 public:
  // Below the folder of the backups. Null: the real file system.
  ArchiveFolder(std::shared_ptr<rocksdb::FileSystem> file_system, const std::string& backups,
                const std::string& owner);

  const std::string& path() const { return path_; }
  rocksdb::FileSystem& file_system() const { return *file_system_; }
  std::string PathOf(const ArchiveFileName& name) const { return path_ + "/" + name.ToText(); }

  // Durably; the folder of the backups as well, but not its parents.
  Status Make() const;
  // In the order of their runs, and in these of their commits. No folder: none.
  Result<std::vector<ArchiveFile>> Files() const;
  // Those that have a commit; reads the end of each.
  Result<std::vector<ArchiveRun>> Runs() const;
  // The last of them; reads no other.
  Result<std::optional<ArchiveRun>> LastRun() const;
  // How many files are in the clear; reads the beginning of each.
  Result<std::size_t> CountClear() const;
  // Warns of them, where others are encrypted: they stay, as a backup of before may need them.
  void WarnOfClear() const;
  // Removes the oldest until there are no more bytes than these, nor more files than those.
  Status Shrink(std::uint64_t bytes_max, std::size_t files_max) const;

  // A backup that may be rolled forward: its run, and how many commits it has at least.
  struct Need {
    std::uint64_t run = 0;
    std::uint64_t commits = 0;
  };
  // Removes what none of them needs; of the run that goes on the last file stays.
  Status Prune(const std::vector<Need>& needs, std::uint64_t goes_on) const;

 private:
  Result<ArchiveRun> RunOf(const std::vector<ArchiveFile>& files) const;
  Status Remove(const ArchiveFile& file) const;

  const std::shared_ptr<rocksdb::FileSystem> file_system_;
  const std::string backups_;
  const std::string path_;
};

}  // namespace wharf
