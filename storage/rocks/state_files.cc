#include "storage/rocks/state_files.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <memory>
#include <string_view>
#include <utility>

#include <rocksdb/db.h>
#include <rocksdb/file_system.h>

#include "storage/base/crc32c.h"
#include "storage/rocks/rocks_env.h"
#include "storage/rocks/rocks_folder.h"
#include "storage/rocks/rocks_options.h"
#include "storage/rocks/rocks_status.h"

namespace wharf {
namespace {

constexpr std::size_t kStatePieceBytes = 1 << 20;

Result<StateFile> ReadStateFile(rocksdb::FileSystem& file_system, const std::string& folder,
                                std::string name) {
  const std::string path = folder + "/" + name;
  std::unique_ptr<rocksdb::FSSequentialFile> file;
  rocksdb::IOStatus status =
      file_system.NewSequentialFile(path, rocksdb::FileOptions(), &file, nullptr);
  StateFile found = {.name = std::move(name)};
  std::string space(kStatePieceBytes, '\0');
  rocksdb::Slice piece;
  do {
    if (status.ok()) status = file->Read(space.size(), kNoOptions, &piece, space.data(), nullptr);
    if (!status.ok()) return FromRocks(status, "cannot read " + path);
    found.bytes += piece.size();
    found.crc32c = Crc32c({piece.data(), piece.size()}, found.crc32c);
  } while (!piece.empty());
  return found;
}

// As RocksDB names them. What says of which kind the folder is, and the lock of who uses it, stay.
bool IsOfState(std::string_view name) {
  constexpr std::array kNames = {"CURRENT", "IDENTITY", "LOG"};
  constexpr std::array kBeginnings = {"MANIFEST-", "OPTIONS-", "LOG.old."};
  constexpr std::array kEndings = {".sst", ".blob", ".log", ".dbtmp"};
  const auto is = [name](std::string_view other) { return name == other; };
  const auto begins = [name](std::string_view other) { return name.starts_with(other); };
  const auto ends = [name](std::string_view other) { return name.ends_with(other); };
  return std::any_of(kNames.begin(), kNames.end(), is) ||
         std::any_of(kBeginnings.begin(), kBeginnings.end(), begins) ||
         std::any_of(kEndings.begin(), kEndings.end(), ends);
}

}  // namespace

Result<std::vector<StateFile>> ReadStateFiles(rocksdb::FileSystem* file_system,
                                              const std::string& folder) {
  const auto real = rocksdb::FileSystem::Default();
  if (file_system == nullptr) file_system = real.get();
  std::vector<std::string> names;
  const rocksdb::IOStatus status = file_system->GetChildren(folder, kNoOptions, &names, nullptr);
  if (!status.ok()) return FromRocks(status, "cannot list " + folder);
  std::sort(names.begin(), names.end());
  std::vector<StateFile> files;
  for (std::string& name : names) {
    Result<StateFile> file = ReadStateFile(*file_system, folder, std::move(name));
    if (!file.ok()) return file.status();
    files.push_back(*std::move(file));
  }
  return files;
}

Result<StatePosition> ReadStatePosition(const RocksStoreOptions& options) {
  assert(options.position);
  const std::string doing = "cannot read " + options.path;
  const auto file_system =
      options.file_system ? options.file_system : rocksdb::FileSystem::Default();
  const auto env = MakeEnv(file_system, options.may_sleep, options.seconds_ahead);
  rocksdb::DBOptions db_options = MakeDbOptions(options);
  db_options.env = env.get();
  const std::vector<rocksdb::ColumnFamilyDescriptor> families = {
      {rocksdb::kDefaultColumnFamilyName, {}}, {options.tables[options.position->table].name, {}}};
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* opened = nullptr;
  WHARF_RETURN_IF_ERROR(FromRocks(
      rocksdb::DB::OpenForReadOnly(db_options, options.path, families, &handles, &opened), doing));
  const std::unique_ptr<rocksdb::DB> db(opened);
  std::string record;
  const rocksdb::Status status =
      db->Get({}, handles.back(), ToSlice(options.position->key), &record);
  for (rocksdb::ColumnFamilyHandle* const handle : handles) {
    db->DestroyColumnFamilyHandle(handle);
  }
  if (status.IsNotFound()) return StatePosition();
  if (!status.ok()) return FromRocksRead(status, doing);
  return options.position->Decode(record);
}

// First what makes it a state at all.
Status RemoveStateFiles(rocksdb::FileSystem* file_system, const std::string& folder) {
  const auto real = rocksdb::FileSystem::Default();
  if (file_system == nullptr) file_system = real.get();
  const std::string doing = "cannot remove the state in " + folder;
  std::vector<std::string> names;
  WHARF_RETURN_IF_ERROR(
      FromRocks(file_system->GetChildren(folder, kNoOptions, &names, nullptr), doing));
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (!IsOfState(name)) continue;
    WHARF_RETURN_IF_ERROR(
        FromRocks(file_system->DeleteFile(folder + "/" + name, kNoOptions, nullptr), doing));
  }
  return FromRocks(SyncFolder(*file_system, folder), doing);
}

}  // namespace wharf
