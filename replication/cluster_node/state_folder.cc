#include "replication/cluster_node/state_folder.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <rocksdb/file_system.h>
#include <spdlog/spdlog.h>

#include "replication/identity/durable_file.h"
#include "storage/rocks/rocks_folder.h"
#include "storage/rocks/rocks_status.h"
#include "storage/rocks/state_files.h"

namespace wharf {
namespace {

namespace fs = std::filesystem;

constexpr char kPointer[] = "/STATE";
constexpr mode_t kPointerMode = 0600;
constexpr std::size_t kNameBytesMax = 64;
constexpr std::string_view kBeginning = "state.";

std::string NameOf(const LogPlace& place) {
  return fmt::format("{}{}.{}", kBeginning, place.index, place.term);
}

Status FailedTo(const std::string& what, const std::error_code& error) {
  return {ErrorCode::kGeneralError, what + ": " + error.message()};
}

Status SyncNames(const std::string& folder) {
  return FromRocks(SyncFolder(*rocksdb::FileSystem::Default(), folder), "cannot sync " + folder);
}

}  // namespace

Result<std::string> StateFolder::name() const {
  Result<std::optional<std::string>> read = ReadSmallFile(data_ + kPointer, kNameBytesMax);
  if (!read.ok()) return read.status();
  return *std::move(read) ? **std::move(read) : std::string();
}

Result<std::string> StateFolder::path() const {
  const Result<std::string> found = name();
  if (!found.ok()) return found;
  if (found->empty()) return data_;
  if (found->starts_with(kBeginning) && found->find('/') == std::string::npos) {
    return data_ + "/" + *found;
  }
  return Status::Damage(data_ + kPointer + " names no folder of a state");
}

Status StateFolder::Keep(const LogPlace& place) const {
  const Result<std::string> current = name();
  if (!current.ok()) return current.status();
  if (*current == NameOf(place)) {
    return {ErrorCode::kInvalidOperation, "the state of this place is in use already"};
  }
  const std::string to = data_ + "/" + NameOf(place);
  WHARF_RETURN_IF_ERROR(RemoveFolder(NameOf(place)));
  std::error_code error;
  fs::rename(incoming(), to, error);
  if (error) return FailedTo("cannot name " + to, error);
  return SyncNames(data_);
}

Result<std::vector<std::string>> StateFolder::Snapshots() const {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator file(data_, error), end; !error && file != end;
       file.increment(error)) {
    std::string name = file->path().filename().string();
    if (name.starts_with(kBeginning)) names.push_back(std::move(name));
  }
  if (error) return FailedTo("cannot list " + data_, error);
  return names;
}

Result<bool> StateFolder::has_snapshot() const {
  const Result<std::string> current = name();
  if (!current.ok()) return current.status();
  const Result<std::vector<std::string>> names = Snapshots();
  if (!names.ok()) return names.status();
  return std::any_of(names->begin(), names->end(),
                     [&current](const std::string& each) { return each != *current; });
}

// First the state that counts, then what does not.
Status StateFolder::Settle(const LogPlace& log_start) const {
  Result<std::string> current = name();
  if (!current.ok()) return current.status();
  const Result<std::vector<std::string>> names = Snapshots();
  if (!names.ok()) return names.status();
  const std::string next = NameOf(log_start);
  if (next != *current && std::find(names->begin(), names->end(), next) != names->end()) {
    WHARF_RETURN_IF_ERROR(Switch(*current, next));
    current = next;
  }
  for (const std::string& each : *names) {
    if (each != *current) WHARF_RETURN_IF_ERROR(RemoveFolder(each));
  }
  return {};
}

// What a crash leaves of the state in DATA itself has no beginning, and is in nobody's way.
Status StateFolder::Switch(const std::string& from, const std::string& to) const {
  WHARF_RETURN_IF_ERROR(WriteDurably(data_ + kPointer, to, kPointerMode));
  spdlog::info("the state is from now on that of the snapshot in {}", to);
  return from.empty() ? RemoveStateFiles(nullptr, data_) : Status();
}

Status StateFolder::RemoveFolder(const std::string& name) const {
  std::error_code error;
  fs::remove_all(data_ + "/" + name, error);
  return error ? FailedTo("cannot remove " + data_ + "/" + name, error) : Status();
}

}  // namespace wharf
