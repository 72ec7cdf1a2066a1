// EphemeralFolder: a data folder that goes with the process.
//
//   TMPDIR/wharfd-ephemeral-<user id>/<random>     mode 700, locked while its process lives
//
// It goes when this does. A process that was killed leaves it behind, unlocked, and the next one
// that makes such a folder removes it: the system takes a lock with the process, however that ends.
// Made by main.cc before anything of the broker, on the main thread.
#pragma once

#include <memory>
#include <string>

#include "storage/base/status.h"

namespace wharf {

class EphemeralFolder {
 public:
  // Below `place`, which exists. Removes those that nobody holds any more.
  static Result<std::unique_ptr<EphemeralFolder>> Make(const std::string& place);
  ~EphemeralFolder();
  EphemeralFolder(const EphemeralFolder&) = delete;
  EphemeralFolder& operator=(const EphemeralFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  EphemeralFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  const std::string path_;
  const int lock_;
};

// TMPDIR, or /tmp.
std::string TemporaryFolder();

}  // namespace wharf
