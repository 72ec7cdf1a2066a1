// DiskReserve: a file without content that keeps a few MiB of the disk for hard times.
//
// When the disk is full there must be something left that one can do without: half of the reserve
// is given up while the broker runs, so that receivers can go on, and what is left of it when the
// broker starts, because a start must write a little, too. It is made again when there is room. The
// file has no meaning: at each of these steps the process may be killed. Used by one thread at a
// time.
#pragma once

#include <cstdint>
#include <string>

#include "storage/base/status.h"

namespace wharf {

class DiskReserve {
 public:
  static constexpr std::uint64_t kBytes = 8 << 20;
  static constexpr std::uint64_t kBytesToStart = kBytes / 2;

  // The file RESERVE in the folder, which may not exist yet.
  explicit DiskReserve(const std::string& folder);

  // What the file holds of the disk now.
  std::uint64_t bytes() const;

  // Makes the file, or makes it whole again. An error, as on a full disk, changes nothing.
  Status Fill();
  // Gives up all but this much, if there is more; what was given back.
  std::uint64_t GiveUpTo(std::uint64_t bytes);

 private:
  const std::string path_;
};

}  // namespace wharf
