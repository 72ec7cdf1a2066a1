#include "storage/segments/spare_segments.h"

#include <algorithm>
#include <utility>

namespace wharf {

SpareSegments::SpareSegments(SegmentFolder& folder, std::size_t segment_bytes)
    : folder_(folder),
      segment_bytes_(segment_bytes),
      count_max_(std::min(kCountMax, kBytesMax / std::max<std::size_t>(segment_bytes, 1))) {}

Status SpareSegments::Find() {
  auto paths = folder_.ListSpares();
  if (!paths.ok()) return paths.status();
  for (std::string& path : *paths) {
    const Result<std::uint64_t> bytes = folder_.BytesOf(path);
    if (!bytes.ok()) return bytes.status();
    if (IsOfUse(*bytes)) {
      paths_.push_back(std::move(path));
    } else {
      WHARF_RETURN_IF_ERROR(folder_.RemoveSpare(path));
    }
  }
  return {};
}

// In a short one most of the next would have to grow; a long one is of when segments were larger.
bool SpareSegments::IsOfUse(std::uint64_t bytes) const {
  const bool fits = segment_bytes_ / 2 <= bytes && bytes <= 2 * segment_bytes_;
  return fits && paths_.size() < count_max_;
}

Status SpareSegments::Take(std::uint64_t number, std::uint64_t bytes) {
  if (!IsOfUse(bytes)) return folder_.Remove(number);
  Result<std::optional<std::string>> path = folder_.MakeSpare(number);
  if (!path.ok()) return path.status();
  if (*path) paths_.push_back(**std::move(path));
  return {};
}

std::optional<std::string> SpareSegments::Give() {
  if (paths_.empty()) return std::nullopt;
  std::string path = std::move(paths_.back());
  paths_.pop_back();
  return path;
}

Status SpareSegments::RemoveAll() {
  for (; !paths_.empty(); paths_.pop_back()) {
    WHARF_RETURN_IF_ERROR(folder_.RemoveSpare(paths_.back()));
  }
  return {};
}

}  // namespace wharf
