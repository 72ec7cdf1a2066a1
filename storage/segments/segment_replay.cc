#include "storage/segments/segment_replay.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

namespace wharf {
namespace {

constexpr std::size_t kReplayWindowBytes = 1 << 20;
// A node that forgot a vote or an entry must not vote; a broker by itself has no others.
std::string RemedyFor(const LogOwner& owner) {
  return owner == LogOwner() ? "; restore the folder from a backup"
                             : "; remove this node from its cluster and add it anew";
}

}  // namespace

SegmentReplay::SegmentReplay(SegmentFolder& folder, LogOwner owner)
    : folder_(folder), owner_(std::move(owner)) {}

Status SegmentReplay::Run() {
  const auto numbers = folder_.List();
  if (!numbers.ok()) return numbers.status();
  if (numbers->empty()) {
    return {ErrorCode::kGeneralError, folder_.path() + " has no log" + RemedyFor(owner_)};
  }
  WHARF_RETURN_IF_ERROR(FindSegments(*numbers));
  for (std::size_t i = 0; i < found_.size(); ++i) {
    WHARF_RETURN_IF_ERROR(ReadSegment(std::move(found_[i]), i + 1 == found_.size()));
  }
  found_.clear();
  return {};
}

// From the last one back, to one that makes all before it void.
Status SegmentReplay::FindSegments(const std::vector<std::uint64_t>& numbers) {
  std::size_t at = numbers.size();
  while (at > 0 && !begins_) {
    const std::uint64_t number = numbers[--at];
    if (!found_.empty() && number + 1 != found_.back().segment.number) {
      return Refuse(number + 1, "is missing");
    }
    Found found;
    WHARF_RETURN_IF_ERROR(FindSegment(number, found));
    if (!found_.empty()) {
      WHARF_RETURN_IF_ERROR(CutTo(found.segment, found_.back().head.bytes_before));
    }
    begins_ = found.head.begins;
    found_.push_back(std::move(found));
  }
  void_segments.assign(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(at));
  std::reverse(found_.begin(), found_.end());
  return {};
}

Status SegmentReplay::FindSegment(std::uint64_t number, Found& found) const {
  auto file = folder_.OpenToRead(number);
  if (!file.ok()) return file.status();
  const auto bytes = folder_.BytesOf(number);
  if (!bytes.ok()) return bytes.status();
  SegmentReader reader(**file, folder_.PathOf(number), *bytes, SegmentHead::kBytes);
  Result<SegmentHead> head = reader.ReadHead();
  if (!head.ok()) return {head.status().code(), head.status().message() + RemedyFor(owner_)};
  found.head = *std::move(head);
  if (found.head.owner.cluster != owner_.cluster) {
    return Refuse(number, "belongs to another cluster");
  }
  if (found.head.owner.node != owner_.node) {
    return Refuse(number, fmt::format("belongs to node {} and not to node {}",
                                      found.head.owner.node, owner_.node));
  }
  if (found.head.number != number) {
    return Refuse(number, fmt::format("is segment {} under a wrong name", found.head.number));
  }
  found.segment = {.number = number,
                   .salt = found.head.salt,
                   .bytes = *bytes,
                   .last_before = found.head.last.index,
                   .file = *std::move(file)};
  return {};
}

Status SegmentReplay::CutTo(LogSegment& segment, std::uint64_t bytes) const {
  if (segment.bytes < bytes) {
    return Refuse(segment.number,
                  fmt::format("ends at offset {} and not at {}", segment.bytes, bytes));
  }
  segment.bytes = bytes;
  return {};
}

Status SegmentReplay::Follow(const Found& found) const {
  const LogPlace last{index.last(), index.TermOf(index.last())};
  if (found.head.last == last && found.head.state == state) return {};
  return Refuse(found.segment.number, "does not go on where the segment before ends");
}

Status SegmentReplay::ReadSegment(Found found, bool is_last) {
  if (segments.size() == 0) {
    index.BeginAt(found.head.last);
    state = found.head.state;
  }
  WHARF_RETURN_IF_ERROR(Follow(found));
  proven = SegmentHead::kBytes;
  segments.Add(std::move(found.segment));
  const LogSegment& segment = segments.last();
  SegmentReader reader(*segment.file, folder_.PathOf(segment.number), segment.bytes,
                       kReplayWindowBytes);
  return ReadRecords(reader, is_last);
}

Status SegmentReplay::ReadRecords(SegmentReader& reader, bool is_last) {
  const std::uint64_t salt = segments.last().salt;
  for (std::uint64_t offset = SegmentHead::kBytes; offset < reader.bytes();) {
    const auto record = reader.Read(salt, offset);
    if (!record.ok()) return record.status();
    if (!*record) return End(reader, offset, is_last);
    WHARF_RETURN_IF_ERROR(Take(**record, offset));
    proven = std::max<std::uint64_t>(proven, (*record)->synced);
    offset += (*record)->bytes();
  }
  return {};
}

Status SegmentReplay::Take(const SegmentRecord& record, std::uint64_t offset) {
  const bool is_entry =
      record.kind == RecordKind::kEntry && record.entry_kind <= EntryKind::kMember;
  if (is_entry) return TakeEntry(record, offset);
  if (record.kind != RecordKind::kState) {
    return Refuse(segments.last().number,
                  fmt::format("has a record of a newer version at offset {}", offset));
  }
  state = record.state();
  return {};
}

// Where the segments before are gone, the tail may have been replaced from before the start.
Status SegmentReplay::TakeEntry(const SegmentRecord& record, std::uint64_t offset) {
  const LogPlace place = record.place();
  if (place.index > 0 && place.index <= index.start().index && !begins_) {
    index.BeginAt({place.index - 1, record.term_before()});
  }
  const bool follows = place.index > index.start().index && place.index <= index.last() + 1 &&
                       index.TermOf(place.index - 1) == record.term_before();
  if (!follows) {
    return Refuse(segments.last().number,
                  fmt::format("has at offset {} entry {}, which does not follow on entry {}",
                              offset, place.index, index.last()));
  }
  const LogSegment& segment = segments.last();
  index.Add(place,
            {static_cast<std::uint32_t>(segment.number), static_cast<std::uint32_t>(offset)});
  segments.NoteEntry(place.index);
  return {};
}

Status SegmentReplay::End(SegmentReader& reader, std::uint64_t offset, bool is_last) {
  LogSegment& segment = segments.last();
  const std::string what = fmt::format("is damaged at offset {}", offset);
  if (!is_last) return Refuse(segment.number, what);
  const auto traces = reader.FindTraces(segment.salt, offset);
  if (!traces.ok()) return traces.status();
  if (traces->proof) {
    return Refuse(segment.number, fmt::format("{}: what stands at offset {} was written behind it",
                                              what, *traces->proof));
  }
  segment.bytes = offset;
  is_torn = traces->has_any;
  return {};
}

Status SegmentReplay::Refuse(std::uint64_t number, const std::string& what) const {
  return {ErrorCode::kGeneralError, folder_.PathOf(number) + " " + what + RemedyFor(owner_)};
}

}  // namespace wharf
