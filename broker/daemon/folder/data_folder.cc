#include "broker/daemon/folder/data_folder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <absl/strings/escaping.h>
#include <fmt/core.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include "storage/backup/restored_folder.h"

namespace wharf {
namespace {

namespace fs = std::filesystem;

Status Refuse(std::string sentence) { return {ErrorCode::kGeneralError, std::move(sentence)}; }

std::string ReasonOf(int error) {
  return error == EACCES || error == EPERM ? "permission denied" : std::strerror(error);
}

Status CheckName(const std::string& folder) {
  if (folder == "~" || folder.starts_with("~/")) {
    return Refuse(fmt::format(
        "--data {} was not expanded by the shell; write \"$HOME{}\", without quotes around ~",
        folder, folder.substr(1)));
  }
  return {};
}

// Only the last folder of the path is made. Further up, a typing error or a disk that is not
// mounted would become an empty broker without a word.
Status CheckParent(const fs::path& folder) {
  fs::path parent = folder.parent_path();
  if (parent.empty()) parent = ".";
  struct stat facts {};
  if (stat(parent.c_str(), &facts) != 0) {
    if (errno != ENOENT) {
      return Refuse(fmt::format("cannot make {}: {}", folder.string(), ReasonOf(errno)));
    }
    return Refuse(
        fmt::format("cannot make {}: there is no folder {}; make it first, or mount its disk",
                    folder.string(), parent.string()));
  }
  if (!S_ISDIR(facts.st_mode)) {
    return Refuse(fmt::format("cannot make {}: {} is no folder", folder.string(), parent.string()));
  }
  if (::access(parent.c_str(), W_OK | X_OK) == 0) return {};
  return Refuse(fmt::format("cannot make {}: {}", folder.string(), ReasonOf(errno)));
}

// What a store may leave behind whose very first start was cut off, and what a file system may have
// in its topmost folder.
bool IsHarmless(std::string_view name) {
  constexpr std::array kNames = {"LOCK",       "LOG",        "IDENTITY", "RESERVE",  "REPLICATED",
                                 "NODE",       "INVITATION", "FOUNDING", "MEMBERS",  "DAMAGED",
                                 "damaged",    "stand-in",   "entries",  "incoming", "outgoing",
                                 "lost+found", "SINGLE",     "batches"};
  constexpr std::array kPrefixes = {"LOG.old.", "MANIFEST-", "OPTIONS-"};
  constexpr std::array kEndings = {".dbtmp", ".log", ".sst", ".blob"};
  const auto is = [name](std::string_view other) { return name == other; };
  const auto begins = [name](std::string_view other) { return name.starts_with(other); };
  const auto ends = [name](std::string_view other) { return name.ends_with(other); };
  return std::any_of(kNames.begin(), kNames.end(), is) ||
         std::any_of(kPrefixes.begin(), kPrefixes.end(), begins) ||
         std::any_of(kEndings.begin(), kEndings.end(), ends);
}

// A folder that a store wrote to has a file CURRENT; of a node, the store may be in another one.
Status RefuseForeign(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder / "CURRENT", error) || fs::exists(folder / "STATE", error)) return {};
  for (fs::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    const std::string name = file->path().filename().string();
    if (IsHarmless(name)) continue;
    return Refuse(fmt::format(
        "{} has files that are not wharfd's, {} for one; name a folder that is new or empty",
        folder.string(), absl::CHexEscape(name)));
  }
  if (!error) return {};
  return Refuse(fmt::format("cannot list {}: {}", folder.string(), ReasonOf(error.value())));
}

Status CheckRights(const fs::path& folder) {
  if (::access(folder.c_str(), R_OK | W_OK | X_OK) != 0) {
    return Refuse(fmt::format("cannot use {}: {}", folder.string(), ReasonOf(errno)));
  }
  const fs::path lock = folder / "LOCK";
  if (::access(lock.c_str(), R_OK | W_OK) == 0 || errno == ENOENT) return {};
  return Refuse(fmt::format("cannot use {}: {}; its files belong to another user", folder.string(),
                            ReasonOf(errno)));
}

void WarnIfOthersRead(const fs::path& folder, mode_t mode) {
  if ((mode & (S_IRWXG | S_IRWXO)) == 0) return;
  spdlog::warn("others can read the messages in {}: its mode is {:o}; chmod 700 makes it private",
               folder.string(), mode & 0777U);
}

}  // namespace

Status CheckDataFolder(const std::string& name) {
  WHARF_RETURN_IF_ERROR(CheckName(name));
  fs::path folder = fs::path(name).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();  // It ended with a slash.
  struct stat facts {};
  if (stat(folder.c_str(), &facts) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return CheckParent(folder);
    return Refuse(fmt::format("cannot use {}: {}", folder.string(), ReasonOf(errno)));
  }
  if (!S_ISDIR(facts.st_mode)) {
    return Refuse(fmt::format("cannot use {}: it is a file, not a folder", folder.string()));
  }
  WHARF_RETURN_IF_ERROR(CheckRights(folder));
  WHARF_RETURN_IF_ERROR(CheckRestored(folder.string()));
  WHARF_RETURN_IF_ERROR(RefuseForeign(folder));
  WarnIfOthersRead(folder, facts.st_mode);
  return {};
}

}  // namespace wharf
