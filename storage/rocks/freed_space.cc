#include "storage/rocks/freed_space.h"

#include <algorithm>
#include <utility>

namespace wharf {
namespace {

using File = TableFiles::File;

// Less is left to the compactions that come anyway.
constexpr std::uint64_t kWorthSinking = 64 << 10;
// So much may be rewritten for a range, beside four times what it takes: deletions that are mixed
// with what is written all the time might never be done.
constexpr std::uint64_t kSpentMax = 1 << 30;
// So much of what is read must be dead for it, or lie dead beneath it.
constexpr std::uint64_t kPartsMax = 10;

// The highest deletions of a range.
struct Deletions {
  // Some are being compacted already.
  bool is_busy = false;
  std::optional<Piece> piece;
};

KeyRange Common(const KeyRange& one, const KeyRange& other) {
  return {std::max(one.begin, other.begin), std::min(one.end, other.end)};
}

// The file and what is compacted with it. Of level 0 RocksDB takes in what is older.
std::vector<const File*> InputsOf(const TableFiles& files, int level, const File& file) {
  std::vector<const File*> inputs;
  for (const File& other : files.levels()[level].files) {
    if (level == 0 || other.name == file.name) inputs.push_back(&other);
  }
  for (const File& other : files.levels()[files.LevelBelow(level)].files) {
    if (TableFiles::Overlaps(other, TableFiles::RangeOf(file))) inputs.push_back(&other);
  }
  return inputs;
}

// Whether nothing lives in the file, as far as one range tells.
bool IsFreed(const File& file, TableId table, const std::vector<FreedRange>& all) {
  return std::any_of(all.begin(), all.end(), [&](const FreedRange& each) {
    return each.table == table && !each.is_mixed && TableFiles::IsInside(file, each.range);
  });
}

// What the ranges take beneath the file: its deletions are of all of them.
std::uint64_t FreedBeneath(const TableFiles& files, const File& file, TableId table,
                           const std::vector<FreedRange>& all) {
  const KeyRange whole = TableFiles::RangeOf(file);
  std::uint64_t bytes = 0;
  for (const FreedRange& each : all) {
    if (each.table != table || !TableFiles::Overlaps(file, each.range)) continue;
    bytes += files.BytesOf(Common(whole, each.range));
  }
  return bytes;
}

// Nothing, if it would be mostly for rows of others.
std::optional<Piece> PieceOf(const TableFiles& files, const FreedRange& freed, int level,
                             const File& file, const std::vector<FreedRange>& all) {
  Piece piece{freed.table, {file.relative_filename}, files.LevelBelow(level)};
  std::uint64_t bytes = 0;
  for (const File* input : InputsOf(files, level, file)) {
    bytes += input->size;
    if (!IsFreed(*input, freed.table, all)) piece.live_bytes += input->size;
  }
  const bool is_worth_it = kPartsMax * FreedBeneath(files, file, freed.table, all) >= bytes;
  return is_worth_it ? std::optional(std::move(piece)) : std::nullopt;
}

// What was written later has none of the deletions that matter.
bool MayDelete(const TableFiles& files, const File& file, const FreedRange& freed) {
  return TableFiles::Overlaps(file, freed.range) && file.smallest_seqno <= freed.noted_at &&
         files.HasDeletions(file);
}

// On the deepest level there are none to bring down; what an open view kept of them there RocksDB
// compacts by itself when the view is gone.
Deletions HighestOf(const TableFiles& files, const FreedRange& freed,
                    const std::vector<FreedRange>& all) {
  Deletions deletions;
  const int deepest = std::max(1, files.deepest_level());
  for (int level = 0; level < deepest; ++level) {
    for (const File& file : files.levels()[level].files) {
      if (!MayDelete(files, file, freed)) continue;
      if (file.being_compacted) {
        deletions.is_busy = true;
        continue;
      }
      deletions.piece = PieceOf(files, freed, level, file, all);
      if (deletions.piece) return deletions;
    }
  }
  return deletions;
}

}  // namespace

void FreedSpace::Note(const std::vector<TableRange>& ranges) {
  const std::uint64_t number = tables_.db.GetLatestSequenceNumber();
  for (const TableRange& each : ranges) ranges_.Note({each.table, each.range, number});
}

std::optional<FreedSpace::Work> FreedSpace::Next() {
  Looks looks;
  NoteLeft(looks);
  const std::vector<FreedRange> all = ranges_.All();
  std::optional<Work> work;
  std::uint64_t dead_bytes = 0;
  waits_for_flush_ = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    dead_bytes += Look(all[(turn_ + i) % all.size()], all, looks, work);
  }
  ++turn_;
  dead_bytes_ = dead_bytes;
  return work;
}

// Where the start kept what it recovered in memory, once more when that is in files. On the deepest
// level there is nothing beneath them.
void FreedSpace::NoteLeft(Looks& looks) {
  for (std::size_t table = 0; table < tables_.options.size(); ++table) {
    const auto id = static_cast<TableId>(table);
    if (left_[table] == Left::kKnown) continue;
    const TableFiles& files = FilesOf(id, looks);
    const Left now = files.HasFlushed(opened_at_) ? Left::kKnown : Left::kInFilesKnown;
    if (std::exchange(left_[table], now) == now) continue;
    for (int level = 0; level < std::max(1, files.deepest_level()); ++level) {
      for (const File& file : files.levels()[level].files) {
        for (KeyRange& range : files.RangeDeletionsOf(file)) {
          ranges_.Note({id, std::move(range), file.largest_seqno});
        }
      }
    }
  }
}

// The bytes that it takes. Of a table at rest nothing can come back before the next start.
std::uint64_t FreedSpace::Look(const FreedRange& freed, const std::vector<FreedRange>& all,
                               Looks& looks, std::optional<Work>& work) {
  const TableFiles& files = FilesOf(freed.table, looks);
  const auto bytes =
      static_cast<std::uint64_t>(static_cast<double>(files.BytesOf(freed.range)) * files.weight());
  if (tables_.IsAtRest(freed.table)) return bytes;
  if (!files.HasFlushed(freed.noted_at)) {
    waits_for_flush_ = true;
    return bytes;
  }
  const bool is_worth_it =
      bytes >= kWorthSinking && freed.spent_bytes <= kSpentMax + 4 * freed.bytes;
  if (is_worth_it && work) return bytes;
  Deletions deletions;
  if (is_worth_it) deletions = HighestOf(files, freed, all);
  if (!deletions.piece && !deletions.is_busy) {
    ranges_.Forget(freed);
    return 0;
  }
  ranges_.Measure(freed, bytes);
  if (deletions.piece) work = Work{*std::move(deletions.piece), freed};
  return bytes;
}

const TableFiles& FreedSpace::FilesOf(TableId table, Looks& looks) const {
  const auto found = looks.find(table);
  if (found != looks.end()) return found->second;
  return looks.emplace(table, tables_.FilesOf(table)).first->second;
}

}  // namespace wharf
