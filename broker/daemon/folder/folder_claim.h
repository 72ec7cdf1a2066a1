// FolderClaim: the data folder is this process's, until it ends.
//
// The store and its log have locks of their own, but a start that converts a folder closes what it
// opened in between, and another wharfd could come there. A new folder has nothing to convert, and
// need not be there. Used by main.cc, on its thread.
#pragma once

#include <string>

#include "storage/base/status.h"

namespace wharf {

class FolderClaim {
 public:
  // Of none.
  FolderClaim() = default;
  // Refuses a folder that another process has claimed.
  static Result<FolderClaim> Of(const std::string& folder);

  FolderClaim(FolderClaim&& other) noexcept;
  FolderClaim& operator=(FolderClaim&&) = delete;
  ~FolderClaim();

 private:
  explicit FolderClaim(int file) : file_(file) {}

  int file_ = -1;  // None: there is no folder yet.
};

}  // namespace wharf
