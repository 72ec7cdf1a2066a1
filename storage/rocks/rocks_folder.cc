#include "storage/rocks/rocks_folder.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include "storage/rocks/rocks_status.h"

namespace wharf {
namespace {

// Empty files: the name says it all, and there is no half of it. Where both are it is a node's.
constexpr char kNodeMark[] = "/REPLICATED";
constexpr char kSingleMark[] = "/SINGLE";

constexpr char kIdentity[] = "/IDENTITY";

// Under another name until it is whole; what a kill leaves of it is written over.
Status WriteIdentity(rocksdb::FileSystem& file_system, const std::string& folder,
                     const std::string& name) {
  const std::string path = folder + kIdentity;
  const std::string fresh = path + ".dbtmp";
  rocksdb::IOStatus status =
      rocksdb::WriteStringToFile(&file_system, name, fresh, /*should_sync=*/true);
  if (status.ok()) status = file_system.RenameFile(fresh, path, kNoOptions, nullptr);
  if (status.ok()) status = SyncFolder(file_system, folder);
  return FromRocks(status, "cannot write " + path);
}

bool IsDataFile(std::string_view name) {
  return name.ends_with(".sst") || name.ends_with(".blob") || name.ends_with(".log");
}

bool HasStore(rocksdb::FileSystem& file_system, const std::string& folder) {
  return file_system.FileExists(folder + "/CURRENT", kNoOptions, nullptr).ok();
}

Result<std::vector<std::string>> ListFolder(rocksdb::FileSystem& file_system,
                                            const std::string& folder) {
  std::vector<std::string> names;
  const rocksdb::IOStatus status = file_system.GetChildren(folder, kNoOptions, &names, nullptr);
  if (!status.ok()) return FromRocks(status, "cannot list " + folder);
  return names;
}

// Without CURRENT, RocksDB would begin a new store beside the files of the old one.
Status RefuseLostCurrent(rocksdb::FileSystem& file_system, const std::string& folder) {
  if (HasStore(file_system, folder)) return Status::Ok();
  const auto names = ListFolder(file_system, folder);
  if (!names.ok()) return names.status();
  if (std::none_of(names->begin(), names->end(), IsDataFile)) return Status::Ok();
  return Status::Damage(folder + " has data files but its file CURRENT is missing; " +
                        "restore the folder from a backup");
}

}  // namespace

rocksdb::IOStatus SyncFolder(rocksdb::FileSystem& file_system, const std::string& folder) {
  std::unique_ptr<rocksdb::FSDirectory> directory;
  const rocksdb::IOStatus status =
      file_system.NewDirectory(folder, kNoOptions, &directory, nullptr);
  return status.ok() ? directory->Fsync(kNoOptions, nullptr) : status;
}

// RocksDB makes the folder too, but does not sync its parent: a power cut could take the whole
// store.
rocksdb::IOStatus MakeFolder(rocksdb::FileSystem& file_system, const std::string& folder) {
  if (file_system.FileExists(folder, kNoOptions, nullptr).ok()) return rocksdb::IOStatus::OK();
  const std::string parent = std::filesystem::path(folder).parent_path().string();
  rocksdb::IOStatus status;
  if (!parent.empty() && parent != folder) status = MakeFolder(file_system, parent);
  if (status.ok()) status = file_system.CreateDirIfMissing(folder, kNoOptions, nullptr);
  if (status.ok()) status = SyncFolder(file_system, parent.empty() ? "." : parent);
  return status;
}

Status PrepareFolder(rocksdb::FileSystem& file_system, const std::string& folder) {
  WHARF_RETURN_IF_ERROR(FromRocks(MakeFolder(file_system, folder), "cannot make " + folder));
  return RefuseLostCurrent(file_system, folder);
}

std::optional<FolderKind> KindOf(rocksdb::FileSystem& file_system, const std::string& folder) {
  const auto has = [&](const char* mark) {
    return file_system.FileExists(folder + mark, kNoOptions, nullptr).ok();
  };
  if (has(kNodeMark)) return FolderKind::kNode;
  if (has(kSingleMark)) return FolderKind::kSingle;
  if (HasStore(file_system, folder)) return FolderKind::kOwnLog;
  return std::nullopt;
}

Status BeOfKind(rocksdb::FileSystem& file_system, const std::string& folder, FolderKind kind) {
  const std::optional<FolderKind> is = KindOf(file_system, folder);
  if (!is) return MarkKind(file_system, folder, kind);
  if (*is == kind) return {};
  if (*is == FolderKind::kNode) {
    return {ErrorCode::kGeneralError,
            folder + " belongs to a node of a cluster, in whose log is what was last written; " +
                "start it as that node"};
  }
  if (kind == FolderKind::kNode) {
    return {ErrorCode::kGeneralError,
            folder +
                " belongs to a broker of a single node; found a cluster with it, or start it " +
                "without one"};
  }
  return {ErrorCode::kGeneralError,
          folder + (kind == FolderKind::kSingle ? " has no log beside its store: it is of before"
                                                : " has its log beside its store")};
}

namespace {

Status MakeMark(rocksdb::FileSystem& file_system, const std::string& mark) {
  std::unique_ptr<rocksdb::FSWritableFile> file;
  rocksdb::IOStatus status =
      file_system.NewWritableFile(mark, rocksdb::FileOptions(), &file, nullptr);
  if (status.ok()) status = file->Fsync(kNoOptions, nullptr);
  if (status.ok()) status = file->Close(kNoOptions, nullptr);
  return FromRocks(status, "cannot make " + mark);
}

Status RemoveMark(rocksdb::FileSystem& file_system, const std::string& mark) {
  if (!file_system.FileExists(mark, kNoOptions, nullptr).ok()) return {};
  return FromRocks(file_system.DeleteFile(mark, kNoOptions, nullptr), "cannot remove " + mark);
}

}  // namespace

// A node's mark counts before the other one; so it comes first, and goes first.
Status MarkKind(rocksdb::FileSystem& file_system, const std::string& folder, FolderKind kind) {
  const std::string node = folder + kNodeMark;
  const std::string single = folder + kSingleMark;
  const auto sync = [&] {
    return FromRocks(SyncFolder(file_system, folder), "cannot sync " + folder);
  };
  if (kind == FolderKind::kNode) WHARF_RETURN_IF_ERROR(MakeMark(file_system, node));
  if (kind == FolderKind::kSingle) WHARF_RETURN_IF_ERROR(MakeMark(file_system, single));
  WHARF_RETURN_IF_ERROR(sync());
  if (kind != FolderKind::kNode) WHARF_RETURN_IF_ERROR(RemoveMark(file_system, node));
  if (kind != FolderKind::kSingle) WHARF_RETURN_IF_ERROR(RemoveMark(file_system, single));
  return sync();
}

Result<std::string> ReadIdentity(rocksdb::FileSystem& file_system, const std::string& folder) {
  std::string name;
  const rocksdb::Status status = rocksdb::ReadFileToString(&file_system, folder + kIdentity, &name);
  if (!status.ok()) return FromRocks(status, "cannot read " + folder + kIdentity);
  while (name.ends_with('\n')) name.pop_back();
  return name;
}

Status CopyIdentity(rocksdb::FileSystem& file_system, const std::string& from,
                    const std::string& to) {
  const Result<std::string> name = ReadIdentity(file_system, from);
  if (!name.ok()) return name.status();
  return WriteIdentity(file_system, to, *name);
}

Status RenewIdentity(rocksdb::FileSystem& file_system, const std::string& folder) {
  return WriteIdentity(file_system, folder, rocksdb::Env::Default()->GenerateUniqueId());
}

Result<bool> IsWithoutLog(rocksdb::FileSystem& file_system, const std::string& folder) {
  if (!HasStore(file_system, folder)) return false;
  const auto names = ListFolder(file_system, folder);
  if (!names.ok()) return names.status();
  return std::none_of(names->begin(), names->end(),
                      [](const std::string& name) { return name.ends_with(".log"); });
}

}  // namespace wharf
