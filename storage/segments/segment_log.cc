#include "storage/segments/segment_log.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "storage/entry_order.h"
#include "storage/segments/segment_reader.h"
#include "storage/segments/segment_replay.h"

namespace wharf {
namespace {

// Far from where a place in a file has more than 32 bits.
constexpr std::size_t kSegmentBytesMax = std::size_t{1} << 30;
constexpr std::size_t kWindowBytes = 256 << 10;
// As RocksDB's log takes of the disk.
constexpr std::size_t kBytesAhead = 4 << 20;

SegmentLogOptions WithDefaults(SegmentLogOptions options) {
  options.segment_bytes = std::min(options.segment_bytes, kSegmentBytesMax);
  if (!options.file_system) options.file_system = rocksdb::FileSystem::Default();
  return options;
}

Status CheckSizes(std::span<const LogEntry> entries) {
  for (const LogEntry& entry : entries) {
    if (entry.data.size() <= SegmentRecord::kDataBytesMax) continue;
    return {ErrorCode::kMessageSizeExceeded,
            fmt::format("entry {} has {} bytes, and the log takes {} at most", entry.index,
                        entry.data.size(), SegmentRecord::kDataBytesMax)};
  }
  return {};
}

}  // namespace

// Reads entries from disk, one after another, and each segment once.
class SegmentLog::DiskEntries {
 public:
  explicit DiskEntries(const SegmentLog& log) : log_(log) {}

  Result<LogEntry> Read(std::uint64_t index) {
    const EntryPlace place = log_.index_.PlaceOf(index);
    const LogSegment& segment = log_.segments_.Find(place.segment);
    if (!reader_ || number_ != segment.number) Open(segment);
    const auto record = reader_->Read(segment.salt, place.offset);
    if (!record.ok()) return record.status();
    const LogPlace expected{index, log_.TermOf(index)};
    if (!*record || (*record)->place() != expected) {
      return Status::Damage(fmt::format("{} is damaged at offset {}: entry {} cannot be read",
                                        reader_->path(), place.offset, index));
    }
    return LogEntry{.index = index,
                    .term = expected.term,
                    .kind = (*record)->entry_kind,
                    .data = std::string((*record)->data)};
  }

 private:
  void Open(const LogSegment& segment) {
    number_ = segment.number;
    reader_.emplace(*segment.file, log_.folder_.PathOf(segment.number), segment.bytes,
                    kWindowBytes);
  }

  const SegmentLog& log_;
  std::uint64_t number_ = 0;
  std::optional<SegmentReader> reader_;
};

SegmentLog::SegmentLog(const SegmentLogOptions& options, const World& world)
    : options_(WithDefaults(options)),
      world_(world),
      folder_(options_.file_system, options_.path),
      spares_(folder_, options_.segment_bytes),
      cache_(options_.cache_bytes),
      sync_(world_.now) {}

Result<bool> SegmentLog::Exists(const SegmentLogOptions& options) {
  const SegmentLogOptions known = WithDefaults(options);
  const auto numbers = SegmentFolder(known.file_system, known.path).List();
  if (!numbers.ok()) return numbers.status();
  return !numbers->empty();
}

Status SegmentLog::Make(const SegmentLogOptions& options, const World& world) {
  SegmentLog log(options, world);
  WHARF_RETURN_IF_ERROR(log.folder_.Make());
  WHARF_RETURN_IF_ERROR(log.folder_.Lock());
  const Result<bool> exists = Exists(options);
  if (!exists.ok()) return exists.status();
  if (*exists) {
    return {ErrorCode::kGeneralError, options.path + " has a log already"};
  }
  WHARF_RETURN_IF_ERROR(log.folder_.RemoveUnfinished());
  return log.BeginSegment(/*begins=*/true);
}

Result<std::unique_ptr<SegmentLog>> SegmentLog::Open(const SegmentLogOptions& options,
                                                     const World& world) {
  std::unique_ptr<SegmentLog> log(new SegmentLog(options, world));
  WHARF_RETURN_IF_ERROR(log->Load());
  return log;
}

// What was found may be nowhere but in memory: the process before may have ended ahead of its sync,
// or because that failed. The consensus takes it for stored, so now it must be.
Status SegmentLog::Load() {
  if (const auto exists = Exists(options_); exists.ok() && *exists) {
    WHARF_RETURN_IF_ERROR(folder_.Lock());
  }
  SegmentReplay replay(folder_, options_.owner);
  WHARF_RETURN_IF_ERROR(replay.Run());
  segments_ = std::move(replay.segments);
  index_ = std::move(replay.index);
  state_ = replay.state;
  synced_ = index_.last();
  const LogSegment& last = segments_.last();
  WHARF_RETURN_IF_ERROR(folder_.WriteAgain(last.number, replay.proven, last.bytes));
  WHARF_RETURN_IF_ERROR(folder_.Sync());
  WHARF_RETURN_IF_ERROR(folder_.RemoveUnfinished());
  WHARF_RETURN_IF_ERROR(RemoveAll(replay.void_segments));
  WHARF_RETURN_IF_ERROR(spares_.Find());
  if (replay.is_torn) {
    spdlog::warn(
        "{} was torn at offset {} when it was not yet synced; what stands behind is dropped",
        folder_.PathOf(last.number), last.bytes);
    return BeginSegment(/*begins=*/false);
  }
  auto writer = SegmentWriter::Reopen(folder_, last.number, last.salt, last.bytes);
  if (!writer.ok()) return writer.status();
  writer_ = *std::move(writer);
  Count();
  return {};
}

Status SegmentLog::Keep(Status status) {
  failed_ = std::move(status);
  Count();
  return failed_;
}

Status SegmentLog::Append(std::span<const LogEntry> entries,
                          const std::optional<HardState>& state) {
  WHARF_RETURN_IF_ERROR(failed_);
  WHARF_RETURN_IF_ERROR(CheckAppend(*this, entries));
  WHARF_RETURN_IF_ERROR(CheckSizes(entries));
  return Keep(AppendAll(entries, state));
}

// The state last: its commit index is never ahead of the entries, wherever the end is torn.
Status SegmentLog::AppendAll(std::span<const LogEntry> entries,
                             const std::optional<HardState>& state) {
  for (const LogEntry& entry : entries) WHARF_RETURN_IF_ERROR(AppendEntry(entry));
  if (state) WHARF_RETURN_IF_ERROR(AppendState(*state));
  WHARF_RETURN_IF_ERROR(writer_->Write());
  segments_.last().bytes = writer_->end();
  return {};
}

Status SegmentLog::AppendEntry(const LogEntry& entry) {
  const auto offset = AddRecord(SegmentRecord::OfEntry(entry, TermOf(entry.index - 1)));
  if (!offset.ok()) return offset.status();
  index_.Add({entry.index, entry.term}, {static_cast<std::uint32_t>(writer_->number()), *offset});
  segments_.NoteEntry(entry.index);
  cache_.Add(entry);
  synced_ = std::min(synced_, entry.index - 1);
  return {};
}

Status SegmentLog::AppendState(const HardState& state) {
  const auto offset = AddRecord(SegmentRecord::OfState(state));
  if (!offset.ok()) return offset.status();
  state_ = state;
  return {};
}

Result<std::uint32_t> SegmentLog::AddRecord(const SegmentRecord& record) {
  const bool has_room = writer_->end() + record.bytes() <= options_.segment_bytes;
  if (!has_room && writer_->end() > SegmentHead::kBytes) WHARF_RETURN_IF_ERROR(BeginNext());
  return writer_->Add(record);
}

// No segment is followed by another before all of it is on the disk.
Status SegmentLog::BeginNext() {
  WHARF_RETURN_IF_ERROR(SyncTimed());
  WHARF_RETURN_IF_ERROR(writer_->Close());
  segments_.last().bytes = writer_->end();
  return BeginSegment(/*begins=*/false);
}

// One that begins may be all for long, and is to be small.
Status SegmentLog::BeginSegment(bool begins) {
  const bool is_first = segments_.size() == 0;
  const SegmentHead head = {.salt = world_.random.Next(),
                            .number = is_first ? 1 : segments_.last().number + 1,
                            .bytes_before = is_first ? 0 : segments_.last().bytes,
                            .begins = begins,
                            .owner = options_.owner,
                            .last = {last_index(), TermOf(last_index())},
                            .state = state_};
  auto writer = SegmentWriter::Create(folder_, head, begins ? std::nullopt : spares_.Give(),
                                      std::min(kBytesAhead, options_.segment_bytes));
  if (!writer.ok()) return writer.status();
  auto file = folder_.OpenToRead(head.number);
  if (!file.ok()) return file.status();
  writer_ = *std::move(writer);
  segments_.Add({.number = head.number,
                 .salt = head.salt,
                 .bytes = SegmentHead::kBytes,
                 .last_before = head.last.index,
                 .file = *std::move(file)});
  Count();
  return {};
}

Status SegmentLog::Sync() {
  WHARF_RETURN_IF_ERROR(failed_);
  WHARF_RETURN_IF_ERROR(Keep(SyncTimed()));
  synced_ = last_index();
  return {};
}

Status SegmentLog::SyncTimed() {
  const UnderWay::Scope sync(sync_);
  Status status = writer_->Sync();
  sync_latency_.Note(world_.now() - sync.began());
  return status;
}

Result<std::vector<LogEntry>> SegmentLog::Read(std::uint64_t first, std::uint64_t end,
                                               std::size_t bytes_max) const {
  WHARF_RETURN_IF_ERROR(failed_);
  WHARF_RETURN_IF_ERROR(CheckRead(*this, first, end));
  std::vector<LogEntry> entries;
  DiskEntries disk(*this);
  std::size_t bytes = 0;
  for (std::uint64_t index = first; index < end; ++index) {
    const LogEntry* const cached = cache_.Find(index);
    Result<LogEntry> entry = cached != nullptr ? Result<LogEntry>(*cached) : disk.Read(index);
    if (!entry.ok()) return entry.status();
    bytes += entry->data.size();
    if (bytes > bytes_max && !entries.empty()) break;
    entries.push_back(*std::move(entry));
  }
  return entries;
}

Status SegmentLog::CutUpTo(std::uint64_t index) {
  WHARF_RETURN_IF_ERROR(failed_);
  if (index <= start().index) return {};
  WHARF_RETURN_IF_ERROR(CheckCut(index, synced_));
  return Keep(CutSegments(segments_.CutUpTo(index)));
}

// The first one first, and each is gone before the next one goes: there is never a gap.
Status SegmentLog::CutSegments(const SegmentList::Cut& cut) {
  for (std::size_t i = 0; i < cut.segments; ++i) {
    WHARF_RETURN_IF_ERROR(spares_.Take(segments_.first().number, segments_.first().bytes));
    WHARF_RETURN_IF_ERROR(folder_.Sync());
    segments_.RemoveFirst();
  }
  index_.CutUpTo(cut.start);
  cache_.CutUpTo(cut.start);
  return {};
}

Status SegmentLog::BeginAt(const LogPlace& place, const HardState& state) {
  WHARF_RETURN_IF_ERROR(failed_);
  index_.BeginAt(place);
  cache_.Clear();
  state_ = state;
  synced_ = place.index;
  return Keep(BeginAnew());
}

// When the new segment has its name, all before it is void, whether it is still there or not.
Status SegmentLog::BeginAnew() {
  WHARF_RETURN_IF_ERROR(BeginSegment(/*begins=*/true));
  std::vector<std::uint64_t> before;
  while (segments_.size() > 1) {
    before.push_back(segments_.first().number);
    segments_.RemoveFirst();
  }
  WHARF_RETURN_IF_ERROR(RemoveAll(before));
  WHARF_RETURN_IF_ERROR(spares_.RemoveAll());
  return folder_.Sync();
}

Status SegmentLog::RemoveAll(const std::vector<std::uint64_t>& numbers) {
  for (const std::uint64_t number : numbers) WHARF_RETURN_IF_ERROR(folder_.Remove(number));
  return {};
}

void SegmentLog::Count() {
  counted_.bytes = segments_.BytesFrom(0);
  counted_.segments = segments_.size();
  counted_.spares = spares_.count();
  counted_.first_index = start().index + 1;
  counted_.last_index = last_index();
}

std::uint64_t SegmentLog::BytesBehind(std::uint64_t index) const {
  if (index >= last_index()) return 0;
  const EntryPlace place = index_.PlaceOf(std::max(index, start().index) + 1);
  return segments_.BytesFrom(place.segment) - place.offset;
}

std::uint64_t SegmentLog::IndexWithin(std::uint64_t bytes) const {
  std::uint64_t low = start().index;
  std::uint64_t high = last_index();
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (BytesBehind(middle) > bytes) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

SegmentLog::Stats SegmentLog::stats() const {
  return {.bytes = counted_.bytes,
          .segments = counted_.segments,
          .spares = counted_.spares,
          .first_index = counted_.first_index,
          .last_index = counted_.last_index,
          .sync_latency = sync_latency_.Read(),
          .sync_age = sync_.age()};
}

}  // namespace wharf
