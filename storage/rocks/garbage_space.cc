#include "storage/rocks/garbage_space.h"

#include <algorithm>
#include <utility>

namespace wharf {
namespace {

using File = TableFiles::File;

// Ranges that are looked at in one step.
constexpr std::size_t kPage = 1024;
// Parts of a file that are dead: rewritten then; and rewritten while very much is dead.
constexpr double kWorthRewriting = 0.5;
constexpr double kWorthIfMuchIsDead = 0.1;
// So much may be dead before the second counts: of any table, and for each live byte.
constexpr double kMuch = 64 << 20;
constexpr double kMuchOfLive = 0.15;

bool IsMuch(std::uint64_t dead_bytes, std::uint64_t all_bytes) {
  const auto dead = static_cast<double>(std::min(dead_bytes, all_bytes));
  return dead > kMuch + kMuchOfLive * (static_cast<double>(all_bytes) - dead);
}

// By all levels below each other: those that hold the same rows are dead alike.
double PartInside(const TableFiles& files, const File& file, const std::vector<KeyRange>& ranges) {
  auto range = std::partition_point(ranges.begin(), ranges.end(), [&](const KeyRange& each) {
    return each.end <= file.smallestkey;
  });
  std::uint64_t inside = 0;
  for (; range != ranges.end() && TableFiles::Overlaps(file, *range); ++range) {
    if (TableFiles::IsInside(file, *range)) return 1;
    const KeyRange whole = TableFiles::RangeOf(file);
    inside += files.BytesOf({std::max(range->begin, whole.begin), std::min(range->end, whole.end)});
  }
  if (inside == 0) return 0;
  const std::uint64_t all = std::max(inside, files.BytesOf(TableFiles::RangeOf(file)));
  return static_cast<double>(inside) / static_cast<double>(all);
}

std::uint64_t PartOf(std::uint64_t bytes, double part) {
  return static_cast<std::uint64_t>(static_cast<double>(bytes) * part);
}

}  // namespace

std::optional<Piece> GarbageSpace::Next(bool is_quiet) {
  std::optional<Choice> best;
  std::uint64_t dead_bytes = 0;
  for (std::size_t id = 0; id < tables_.options.size(); ++id) {
    const auto table = static_cast<TableId>(id);
    const std::optional<GarbageOptions>& garbage = tables_.options[table].garbage;
    if (!garbage || !garbage->ranges) continue;
    const TableFiles files = tables_.FilesOf(table);
    Walk& walk = walks_[table];
    Turn(table, files, walk);
    dead_bytes += walk.bytes_of_all;
    if (tables_.IsAtRest(table)) continue;
    std::optional<Choice> choice = Choose(table, files, walk, is_quiet);
    if (choice && (!best || choice->dead_part > best->dead_part)) best = std::move(choice);
  }
  dead_bytes_ = dead_bytes;
  return best ? std::optional(std::move(best->piece)) : std::nullopt;
}

// The next page, or the first again. What is known of files that are gone goes, too.
void GarbageSpace::Turn(TableId table, const TableFiles& files, Walk& walk) const {
  const bool is_first = walk.page.size() < kPage;
  const std::string from = is_first ? std::string() : walk.page.back().end;
  walk.page = tables_.options[table].garbage->ranges(from, kPage);
  if (is_first) walk.bytes = 0;
  for (const KeyRange& range : walk.page) walk.bytes += files.BytesOf(range);
  const bool is_last = walk.page.size() < kPage;
  const std::uint64_t dead_bytes = walk.bytes - std::min(walk.bytes, BytesThatLive(files, walk));
  walk.bytes_of_all = is_last ? dead_bytes : std::max(walk.bytes_of_all, dead_bytes);
  std::map<std::string, double> written;
  for (const rocksdb::LevelMetaData& level : files.levels()) {
    for (const File& file : level.files) {
      const auto found = walk.written.find(TableFiles::PathOf(file));
      if (found != walk.written.end()) written.insert(*found);
    }
  }
  walk.written = std::move(written);
}

std::uint64_t GarbageSpace::BytesThatLive(const TableFiles& files, const Walk& walk) {
  std::uint64_t bytes = 0;
  for (const rocksdb::LevelMetaData& level : files.levels()) {
    for (const File& file : level.files) {
      const auto written = walk.written.find(TableFiles::PathOf(file));
      if (written != walk.written.end()) bytes += PartOf(file.size, written->second);
    }
  }
  return bytes;
}

std::optional<GarbageSpace::Choice> GarbageSpace::Choose(TableId table, const TableFiles& files,
                                                         const Walk& walk, bool is_quiet) const {
  std::optional<Choice> best;
  if (is_quiet) best = ChooseLevel0(table, files, walk);
  const double worth =
      IsMuch(walk.bytes_of_all, files.bytes()) ? kWorthIfMuchIsDead : kWorthRewriting;
  for (const rocksdb::LevelMetaData& level : files.levels()) {
    for (const File& file : level.files) {
      if (level.level == 0 || file.being_compacted) continue;
      const double part = DeadPartOf(files, file, walk);
      if (part < worth || (best && part <= best->dead_part)) continue;
      const std::uint64_t live_bytes = file.size - PartOf(file.size, part);
      best = Choice{{table, {file.relative_filename}, level.level, live_bytes}, part};
    }
  }
  return best;
}

// All of it, or what is newer would be beneath what is older.
std::optional<GarbageSpace::Choice> GarbageSpace::ChooseLevel0(TableId table,
                                                               const TableFiles& files,
                                                               const Walk& walk) const {
  Choice choice{{table, {}, files.base_level()}};
  std::uint64_t bytes = 0;
  std::uint64_t dead_bytes = 0;
  for (const File& file : files.levels()[0].files) {
    if (file.being_compacted) return std::nullopt;
    choice.piece.files.push_back(file.relative_filename);
    bytes += file.size;
    dead_bytes += PartOf(file.size, DeadPartOf(files, file, walk));
  }
  if (bytes == 0) return std::nullopt;
  choice.dead_part = static_cast<double>(dead_bytes) / static_cast<double>(bytes);
  choice.piece.live_bytes = bytes - dead_bytes;
  return choice.dead_part >= kWorthRewriting ? std::optional(std::move(choice)) : std::nullopt;
}

double GarbageSpace::DeadPartOf(const TableFiles& files, const File& file, const Walk& walk) const {
  const auto written = walk.written.find(TableFiles::PathOf(file));
  return PartInside(files, file, walk.page) - (written == walk.written.end() ? 0 : written->second);
}

void GarbageSpace::NoteWritten(TableId table, const std::vector<std::string>& paths) {
  const TableFiles files = tables_.FilesOf(table);
  Walk& walk = walks_[table];
  for (const rocksdb::LevelMetaData& level : files.levels()) {
    for (const File& file : level.files) {
      const std::string path = TableFiles::PathOf(file);
      if (std::find(paths.begin(), paths.end(), path) == paths.end()) continue;
      walk.written.emplace(path, PartInside(files, file, walk.page));
    }
  }
}

}  // namespace wharf
