#include "tools/crash/runs/data_folder.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include <fmt/core.h>

namespace wharf::crash {

namespace fs = std::filesystem;

Result<DataFolder> DataFolder::Make(const std::string& path) {
  if (!path.empty()) {
    std::error_code ignored;
    if (fs::exists(path, ignored) && !fs::is_empty(path, ignored)) {
      return Status(ErrorCode::kArgumentError,
                    fmt::format("the folder {} is not empty; name another one", path));
    }
    return DataFolder(path, false);
  }
  std::string made = (fs::temp_directory_path() / "wharf-crash-XXXXXX").string();
  if (mkdtemp(made.data()) == nullptr) {
    return Status(ErrorCode::kGeneralError, fmt::format("cannot make the folder {}", made));
  }
  return DataFolder(std::move(made), true);
}

DataFolder::~DataFolder() {
  std::error_code ignored;
  if (is_temporary_) fs::remove_all(path_, ignored);
}

DataFolder::DataFolder(DataFolder&& other) noexcept
    : path_(std::move(other.path_)), is_temporary_(std::exchange(other.is_temporary_, false)) {}

}  // namespace wharf::crash
