// SnapshotManifest: what a snapshot consists of: the state of which position, in which files.
//
//   manifest = fields                             peers/fields.h
//     1 id, 2 index, 3 term, 4 members            of the position; members as they stand there
//     5 file = fields: 1 name, 2 bytes, 3 crc32c  each, in the order of their names
//
// A value. What another node says is believed only as far as it cannot lead out of a folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "storage/base/status.h"
#include "storage/rocks/state_files.h"
#include "storage/state_position.h"

namespace wharf {

// So many files a snapshot has at most: a manifest is one message.
inline constexpr std::size_t kSnapshotFilesMax = 32 << 10;

struct SnapshotManifest {
  // Drawn by who made it: tells two snapshots of one position apart.
  std::uint64_t id = 0;
  StatePosition position{};
  std::vector<StateFile> files{};

  std::uint64_t bytes() const;

  std::string Encode() const;
  static Result<SnapshotManifest> Decode(std::string_view bytes);

  friend bool operator==(const SnapshotManifest&, const SnapshotManifest&) = default;
};

}  // namespace wharf
