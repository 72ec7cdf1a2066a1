#include "storage/archive/archive_folder.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include <rocksdb/file_system.h>
#include <spdlog/spdlog.h>

#include "storage/archive/archive_reader.h"
#include "storage/rocks/rocks_folder.h"
#include "storage/rocks/rocks_status.h"

namespace wharf {
namespace {

constexpr char kArchive[] = "/.archive";

// Only the last part of the path: a parent that is missing is a disk that is not mounted.
rocksdb::IOStatus MakeOne(rocksdb::FileSystem& file_system, const std::string& path) {
  if (file_system.FileExists(path, kNoOptions, nullptr).ok()) return rocksdb::IOStatus::OK();
  const rocksdb::IOStatus made = file_system.CreateDirIfMissing(path, kNoOptions, nullptr);
  if (!made.ok()) return made;
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return SyncFolder(file_system, parent.empty() ? "." : parent);
}

// `next`: null, if none comes behind it.
bool IsNeeded(const ArchiveFile& file, const ArchiveFile* next,
              const std::vector<ArchiveFolder::Need>& needs) {
  return std::any_of(needs.begin(), needs.end(), [&](const ArchiveFolder::Need& need) {
    if (need.run != file.name.run) return false;
    // What the backup has already is all that stands before the next file.
    const bool is_before = next != nullptr && next->name.run == need.run &&
                           next->name.first.value() <= need.commits + 1;
    return !is_before;
  });
}

// In their order.
std::vector<std::vector<ArchiveFile>> ByRun(const std::vector<ArchiveFile>& files) {
  std::vector<std::vector<ArchiveFile>> by_run;
  for (const ArchiveFile& file : files) {
    const bool is_other = by_run.empty() || by_run.back().front().name.run != file.name.run;
    if (is_other) by_run.emplace_back();
    by_run.back().push_back(file);
  }
  return by_run;
}

}  // namespace

ArchiveFolder::ArchiveFolder(std::shared_ptr<rocksdb::FileSystem> file_system,
                             const std::string& backups, const std::string& owner)
    : file_system_(file_system ? std::move(file_system) : rocksdb::FileSystem::Default()),
      backups_(backups),
      path_(backups + kArchive + "/" + owner) {}

Status ArchiveFolder::Make() const {
  for (const std::string& path : {backups_, backups_ + kArchive, path_}) {
    WHARF_RETURN_IF_ERROR(FromRocks(MakeOne(*file_system_, path), "cannot make " + path));
  }
  return {};
}

Result<std::vector<ArchiveFile>> ArchiveFolder::Files() const {
  std::vector<ArchiveFile> files;
  if (!file_system_->FileExists(path_, kNoOptions, nullptr).ok()) return files;
  std::vector<std::string> names;
  const rocksdb::IOStatus listed = file_system_->GetChildren(path_, kNoOptions, &names, nullptr);
  if (!listed.ok()) return FromRocks(listed, "cannot list " + path_);
  for (const std::string& text : names) {
    const std::optional<ArchiveFileName> name = ArchiveFileName::Parse(text);
    if (!name) continue;
    ArchiveFile file{.name = *name};
    const auto sized = file_system_->GetFileSize(PathOf(*name), kNoOptions, &file.bytes, nullptr);
    // It may be removed at the same time.
    if (sized.ok()) files.push_back(file);
  }
  std::sort(files.begin(), files.end(), [](const ArchiveFile& left, const ArchiveFile& right) {
    return left.name < right.name;
  });
  return files;
}

Result<std::vector<ArchiveRun>> ArchiveFolder::Runs() const {
  const Result<std::vector<ArchiveFile>> files = Files();
  if (!files.ok()) return files.status();
  std::vector<ArchiveRun> runs;
  for (const std::vector<ArchiveFile>& of_run : ByRun(*files)) {
    const Result<ArchiveRun> run = RunOf(of_run);
    if (!run.ok()) return run.status();
    if (run->has_commits()) runs.push_back(*run);
  }
  return runs;
}

Result<std::optional<ArchiveRun>> ArchiveFolder::LastRun() const {
  const Result<std::vector<ArchiveFile>> files = Files();
  if (!files.ok()) return files.status();
  const std::vector<std::vector<ArchiveFile>> by_run = ByRun(*files);
  for (auto of_run = by_run.rbegin(); of_run != by_run.rend(); ++of_run) {
    const Result<ArchiveRun> run = RunOf(*of_run);
    if (!run.ok()) return run.status();
    if (run->has_commits()) return std::optional(*run);
  }
  return std::optional<ArchiveRun>();
}

// A file whose first block was torn has none.
Result<ArchiveRun> ArchiveFolder::RunOf(const std::vector<ArchiveFile>& files) const {
  ArchiveRun run{.run = files.front().name.run, .first = files.front().name.first};
  for (const ArchiveFile& file : files) run.bytes += file.bytes;
  for (auto file = files.rbegin(); file != files.rend() && run.last < run.first; ++file) {
    ArchiveFileReader reader(*file_system_, PathOf(file->name), file->name);
    while (true) {
      const Result<std::optional<ArchiveBlock>> block = reader.Next();
      if (!block.ok()) return block.status();
      if (!*block) break;
      run.last = (*block)->head.last;
      run.last_time = (*block)->head.last_time;
    }
  }
  ArchiveFileReader reader(*file_system_, PathOf(files.front().name), files.front().name);
  const Result<std::optional<ArchiveBlock>> block = reader.Next();
  if (!block.ok()) return block.status();
  if (*block) run.first_time = (*block)->head.first_time;
  run.encrypted_to = reader.encrypted_to();
  return run;
}

void ArchiveFolder::WarnOfClear() const {
  const Result<std::size_t> clear = CountClear();
  if (!clear.ok() || *clear == 0) return;
  spdlog::warn("{} files of the archive {} are of before it was encrypted, and in the clear",
               *clear, path_);
}

Result<std::size_t> ArchiveFolder::CountClear() const {
  const Result<std::vector<ArchiveFile>> files = Files();
  if (!files.ok()) return files.status();
  std::size_t clear = 0;
  for (const ArchiveFile& file : *files) {
    if (file.bytes <= ArchiveHead::kBytes) continue;
    ArchiveFileReader reader(*file_system_, PathOf(file.name), file.name);
    const Result<bool> opened = reader.Open();
    if (!opened.ok()) return opened.status();
    if (*opened && reader.encrypted_to().empty()) ++clear;
  }
  return clear;
}

Status ArchiveFolder::Remove(const ArchiveFile& file) const {
  const std::string path = PathOf(file.name);
  const rocksdb::IOStatus removed = file_system_->DeleteFile(path, kNoOptions, nullptr);
  // Who prunes and who writes may both do it.
  if (removed.IsNotFound() || removed.IsPathNotFound()) return {};
  return FromRocks(removed, "cannot remove " + path);
}

Status ArchiveFolder::Shrink(std::uint64_t bytes_max, std::size_t files_max) const {
  const Result<std::vector<ArchiveFile>> files = Files();
  if (!files.ok()) return files.status();
  std::uint64_t bytes = 0;
  for (const ArchiveFile& file : *files) bytes += file.bytes;
  std::size_t left = files->size();
  for (const ArchiveFile& file : *files) {
    if (bytes <= bytes_max && left <= files_max) return {};
    WHARF_RETURN_IF_ERROR(Remove(file));
    bytes -= file.bytes;
    --left;
  }
  return {};
}

Status ArchiveFolder::Prune(const std::vector<Need>& needs, std::uint64_t goes_on) const {
  const Result<std::vector<ArchiveFile>> files = Files();
  if (!files.ok()) return files.status();
  for (std::size_t at = 0; at < files->size(); ++at) {
    const ArchiveFile& file = (*files)[at];
    const ArchiveFile* const next = at + 1 < files->size() ? &(*files)[at + 1] : nullptr;
    // One that has begun since goes on instead.
    const bool is_last = next == nullptr || next->name.run != file.name.run;
    const bool is_written = goes_on != 0 && is_last && file.name.run >= goes_on;
    if (is_written || IsNeeded(file, next, needs)) continue;
    WHARF_RETURN_IF_ERROR(Remove(file));
  }
  return {};
}

}  // namespace wharf
