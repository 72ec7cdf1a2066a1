// PowerLossDisk: a disk in memory that knows what would survive a power cut.
//
// Every file has the bytes that a reader sees and the bytes that were synced; every change of a
// folder (create, rename, delete) waits in a list until the folder is synced. A power cut keeps
// what was synced and, chosen by a seed, nothing, some or all of the rest: a prefix cut at any
// byte, a subset of 4 KiB pages, the first few changes of folders. It can also fail and fill up.
// Any thread may call; paths are absolute.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rocksdb/io_status.h>

#include "storage/base/mutex.h"

namespace wharf {

// The bytes of one file, or a folder, which has none. Guarded by the disk.
class DiskNode {
 public:
  explicit DiskNode(bool is_folder) : is_folder_(is_folder) {}

  bool is_folder() const { return is_folder_; }
  const std::string& bytes() const { return bytes_; }

  void Write(std::uint64_t offset, std::string_view data);
  void Truncate(std::uint64_t size);
  void Sync();
  // As Linux may do it: the length is on the disk, the pages are lost for good, and all is called
  // clean.
  void FailSync();
  void LosePower(std::mt19937_64& random);

 private:
  static constexpr std::uint64_t kClean = UINT64_MAX;

  std::string KeepPrefix(std::mt19937_64& random) const;
  std::string KeepSomePages(std::mt19937_64& random) const;

  const bool is_folder_;
  std::string bytes_;
  std::string durable_;
  std::uint64_t dirty_from_ = kClean;  // Everything before was synced, or lost by a failed sync.
};

// An open file. Of no use after a power cut.
struct DiskHandle {
  std::shared_ptr<DiskNode> node;
  std::uint64_t boot = 0;
};

class PowerLossDisk {
 public:
  enum class Times : bool { kOnce, kFromThenOn };

  PowerLossDisk();

  // Power. Between a cut and the reboot everything fails.
  void CutPower(std::uint64_t seed);
  // Cuts the power in the middle of the n-th change from now; 0 is never.
  void CutPowerAfter(std::uint64_t changes, std::uint64_t seed);
  void Reboot();
  bool has_power() const;
  // Writes, syncs and changes of folders so far.
  std::uint64_t changes() const;

  // Faults. `after` operations of the kind succeed before.
  void FailSyncs(std::uint64_t after, Times times);
  void FailWrites(std::uint64_t after, rocksdb::IOStatus status, Times times);
  // Writes that would make the files larger than this in sum find no space.
  void SetCapacity(std::uint64_t bytes);
  void ClearFaults();
  std::uint64_t used_bytes() const;
  std::uint64_t free_bytes() const;

  // Files.
  rocksdb::IOStatus Open(const std::string& path, DiskHandle& handle);
  rocksdb::IOStatus Create(const std::string& path, DiskHandle& handle);
  rocksdb::IOStatus Read(const DiskHandle& handle, std::uint64_t offset, std::size_t size,
                         char* space, std::size_t& read);
  rocksdb::IOStatus Append(const DiskHandle& handle, std::string_view data);
  rocksdb::IOStatus Write(const DiskHandle& handle, std::uint64_t offset, std::string_view data);
  rocksdb::IOStatus Truncate(const DiskHandle& handle, std::uint64_t size);
  rocksdb::IOStatus Sync(const DiskHandle& handle);
  rocksdb::IOStatus Size(const DiskHandle& handle, std::uint64_t& size);

  // Folders.
  rocksdb::IOStatus MakeFolder(const std::string& path);
  rocksdb::IOStatus SyncFolder(const DiskHandle& handle, const std::string& path);
  rocksdb::IOStatus List(const std::string& path, std::vector<std::string>& names);
  rocksdb::IOStatus Remove(const std::string& path);
  rocksdb::IOStatus Rename(const std::string& from, const std::string& to);
  rocksdb::IOStatus Link(const std::string& from, const std::string& to);

  // Locks, forgotten with the power.
  rocksdb::IOStatus Lock(const std::string& path);
  rocksdb::IOStatus Unlock(const std::string& path);

 private:
  using Tree = std::map<std::string, std::shared_ptr<DiskNode>>;
  // What one change of folders does to paths; null takes the path away. All or nothing.
  using TreeChange = std::vector<std::pair<std::string, std::shared_ptr<DiskNode>>>;

  // A fault that waits for its turn.
  struct Fault {
    std::uint64_t after = UINT64_MAX;
    Times times = Times::kOnce;
    rocksdb::IOStatus status;

    // Counts one operation; whether it fails.
    bool Strikes();
  };

  rocksdb::IOStatus Look(const std::function<rocksdb::IOStatus()>& look);
  rocksdb::IOStatus Change(const std::function<rocksdb::IOStatus()>& change);
  // The functions below run under the mutex.
  rocksdb::IOStatus CheckHandle(const DiskHandle& handle) const;
  rocksdb::IOStatus WriteAt(DiskNode& node, std::uint64_t offset, std::string_view data);
  rocksdb::IOStatus CheckParent(const std::string& path) const;
  void ChangeTree(TreeChange change);
  void RenameAll(const std::shared_ptr<DiskNode>& node, const std::string& from,
                 const std::string& to);
  void LosePower(std::uint64_t seed);
  std::uint64_t UsedBytes() const;

  // Guards everything below; the changes are lambdas, which clang cannot follow.
  mutable Mutex mutex_;
  Tree now_;
  Tree durable_;
  std::vector<TreeChange> unsynced_;
  std::set<std::string> locks_;
  bool has_power_ = true;
  std::uint64_t boot_ = 1;
  std::uint64_t changes_ = 0;
  std::uint64_t cut_at_ = 0;
  std::uint64_t cut_seed_ = 0;
  Fault sync_fault_;
  Fault write_fault_;
  std::uint64_t capacity_ = UINT64_MAX;
};

}  // namespace wharf
