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
#include "storage/base/mutex.h"
#include "storage/rocks/rocks_folder.h"
#include "storage/rocks/rocks_status.h"
#include "storage/rocks/state_files.h"

namespace wharf {
namespace {

namespace fs = std::filesystem;

constexpr char kPointer[] = "/STATE";
constexpr char kDamageMark[] = "/DAMAGED";
constexpr char kLost[] = "damaged";
constexpr char kStandIn[] = "stand-in";
constexpr mode_t kPointerMode = 0600;
constexpr std::size_t kNameBytesMax = 64;
constexpr std::string_view kBeginning = "state.";

std::string NameOf(const LogPlace& place) {
  return fmt::format("{}{}.{}", kBeginning, place.index, place.term);
}

Status FailedTo(const std::string& what, const std::error_code& error) {
  return {ErrorCode::kGeneralError, what + ": " + error.message()};
}

// Whoever meets damage marks it, on any thread, and a start may be about to remove an older mark.
Mutex& MarkMutex() {
  static Mutex mutex;
  return mutex;
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
  return Name(NameOf(place));
}

Status StateFolder::Name(const std::string& name) const {
  const std::string to = data_ + "/" + name;
  WHARF_RETURN_IF_ERROR(RemoveFolder(name));
  std::error_code error;
  fs::rename(incoming(), to, error);
  if (error) return FailedTo("cannot name " + to, error);
  return SyncNames(data_);
}

Status StateFolder::MarkDamaged() const {
  const Result<std::string> current = name();
  if (!current.ok()) return current.status();
  MutexLock lock(MarkMutex());
  return WriteDurably(data_ + kDamageMark, *current, kPointerMode);
}

Result<std::optional<std::string>> StateFolder::Marked() const {
  return ReadSmallFile(data_ + kDamageMark, kNameBytesMax);
}

// That of the state which is open was made since it was opened.
Status StateFolder::ForgetOldMark(const std::string& current) const {
  MutexLock lock(MarkMutex());
  const Result<std::optional<std::string>> marked = Marked();
  if (!marked.ok()) return marked.status();
  return *marked && **marked == current ? Status() : RemoveFolder(kDamageMark + 1);
}

// A mark of a state that is not there any more says nothing of the one that is.
Status StateFolder::CheckState() const {
  const Result<std::string> current = path();
  if (!current.ok()) return current.status();
  const Result<std::optional<std::string>> marked = Marked();
  if (!marked.ok()) return marked.status();
  if (*marked && **marked == name().value()) {
    return Status::Damage("the state in " + *current + " was found to be damaged");
  }
  // What cannot be seen may be there; to open it tells why.
  std::error_code error;
  if (fs::exists(*current + "/CURRENT", error) || error) return {};
  return Status::Damage("the state in " + *current + " is not there");
}

// Marked until it has stepped aside, because to open it may succeed another time. One in DATA stays
// marked: nothing else ever has its name.
Status StateFolder::SetAside() const {
  const Result<std::string> current = name();
  if (!current.ok()) return current.status();
  WHARF_RETURN_IF_ERROR(MarkDamaged());
  if (current->empty()) return {};
  std::error_code error;
  if (fs::exists(data_ + "/" + *current)) {
    WHARF_RETURN_IF_ERROR(RemoveFolder(kLost));
    fs::rename(data_ + "/" + *current, data_ + "/" + kLost, error);
    if (error) return FailedTo("cannot set " + *current + " aside", error);
    WHARF_RETURN_IF_ERROR(SyncNames(data_));
  }
  return RemoveFolder(kDamageMark + 1);
}

// It may have the name of the one that is lost, which is not there any more.
Status StateFolder::Replace(const LogPlace& place) const {
  const Result<std::string> before = name();
  if (!before.ok()) return before.status();
  const std::string to = NameOf(place);
  if (!before->empty()) WHARF_RETURN_IF_ERROR(RemoveFolder(kDamageMark + 1));
  WHARF_RETURN_IF_ERROR(Name(to));
  return Switch(*before, to);
}

// In DATA it may have been kept by an end just behind the change of the name.
Status StateFolder::ForgetLost() const {
  const Result<std::string> current = name();
  if (!current.ok()) return current.status();
  for (const char* const left : {kLost, kStandIn}) {
    WHARF_RETURN_IF_ERROR(RemoveFolder(left));
  }
  WHARF_RETURN_IF_ERROR(ForgetOldMark(*current));
  const bool is_left = !current->empty() && fs::exists(data_ + "/CURRENT");
  return is_left ? RemoveStateFiles(nullptr, data_) : Status();
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
