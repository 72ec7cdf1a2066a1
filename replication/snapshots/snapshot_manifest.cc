#include "replication/snapshots/snapshot_manifest.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "replication/peers/fields.h"

namespace wharf {
namespace {

enum ManifestTag : std::uint8_t { kId = 1, kIndex = 2, kTerm = 3, kMembers = 4, kFile = 5 };
enum FileTag : std::uint8_t { kName = 1, kBytes = 2, kCrc = 3 };

constexpr std::size_t kNameBytesMax = 255;

Status Unreadable() {
  return {ErrorCode::kArgumentError, "the list of a snapshot's files cannot be read"};
}

bool IsNameLetter(char letter) {
  const bool is_digit = letter >= '0' && letter <= '9';
  const bool is_letter = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
  return is_digit || is_letter || letter == '-' || letter == '_' || letter == '.';
}

// A name in the folder itself, and none that is there anyway.
bool IsFileName(std::string_view name) {
  return !name.empty() && name.size() <= kNameBytesMax && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), IsNameLetter);
}

std::string EncodeFile(const StateFile& file) {
  return FieldWriter()
      .Text(kName, file.name)
      .Number(kBytes, file.bytes)
      .Number(kCrc, file.crc32c)
      .Take();
}

bool DecodeFile(std::string_view bytes, StateFile& file) {
  const bool is_whole = VisitFields(bytes, [&file](std::uint8_t tag, std::string_view value) {
    if (tag == kName) file.name = value;
    if (tag == kBytes) file.bytes = NumberIn(value);
    if (tag == kCrc) file.crc32c = static_cast<std::uint32_t>(NumberIn(value));
  });
  return is_whole && IsFileName(file.name);
}

// Sorted by their names, so that none comes twice, and of a size that can be counted together.
bool AreFiles(const std::vector<StateFile>& files) {
  std::uint64_t left = std::numeric_limits<std::int64_t>::max();
  for (std::size_t at = 0; at < files.size(); ++at) {
    if (at > 0 && files[at].name <= files[at - 1].name) return false;
    if (files[at].bytes > left) return false;
    left -= files[at].bytes;
  }
  return !files.empty() && files.size() <= kSnapshotFilesMax;
}

}  // namespace

std::uint64_t SnapshotManifest::bytes() const {
  std::uint64_t sum = 0;
  for (const StateFile& file : files) sum += file.bytes;
  return sum;
}

std::string SnapshotManifest::Encode() const {
  FieldWriter fields;
  fields.Number(kId, id).Number(kIndex, position.index).Number(kTerm, position.term);
  fields.Text(kMembers, position.members);
  for (const StateFile& file : files) fields.Text(kFile, EncodeFile(file));
  return fields.Take();
}

Result<SnapshotManifest> SnapshotManifest::Decode(std::string_view bytes) {
  SnapshotManifest manifest;
  bool are_files = true;
  const bool is_whole = VisitFields(bytes, [&](std::uint8_t tag, std::string_view value) {
    if (tag == kId) manifest.id = NumberIn(value);
    if (tag == kIndex) manifest.position.index = NumberIn(value);
    if (tag == kTerm) manifest.position.term = NumberIn(value);
    if (tag == kMembers) manifest.position.members = value;
    if (tag == kFile) are_files &= DecodeFile(value, manifest.files.emplace_back());
  });
  const bool has_place = manifest.position.index > 0 && manifest.position.term > 0;
  if (!is_whole || !are_files || !has_place || !AreFiles(manifest.files)) return Unreadable();
  return manifest;
}

}  // namespace wharf
