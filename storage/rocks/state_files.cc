#include "storage/rocks/state_files.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <rocksdb/file_system.h>

#include "storage/base/crc32c.h"
#include "storage/rocks/rocks_folder.h"
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

}  // namespace wharf
