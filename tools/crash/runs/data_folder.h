// DataFolder: where the daemon keeps its data: an empty folder that was named, or a temporary one.
//
// A temporary folder is gone with this object, unless it is kept for a look.
#pragma once

#include <string>

#include "storage/base/status.h"

namespace wharf::crash {

class DataFolder {
 public:
  // An error if `path` holds something already; a temporary folder if it is empty.
  static Result<DataFolder> Make(const std::string& path);
  ~DataFolder();
  DataFolder(DataFolder&& other) noexcept;
  DataFolder& operator=(DataFolder&&) = delete;

  const std::string& path() const { return path_; }
  void Keep() { is_temporary_ = false; }

 private:
  DataFolder(std::string path, bool is_temporary)
      : path_(std::move(path)), is_temporary_(is_temporary) {}

  std::string path_;
  bool is_temporary_;
};

}  // namespace wharf::crash
