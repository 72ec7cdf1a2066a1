// OrderedWrites: the writes of a group, put into the order of their keys.
//
// RocksDB finds the place of a row in its memtable from that of the row before. Neighbours cost
// almost nothing, but the rows of a thousand sessions in the order of their deliveries each cost a
// search. Of the writes of one key only those are left that matter behind all of them: they become
// visible together, so nobody can tell. A deletion of a range is a barrier: writes of its table are
// put into order, and dropped, between two of them, and never across one. What the batches of the
// group note beside their rows is collected on the same way. Used by a commit log, or an applier of
// a node, and by its RocksStore for one write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "storage/batch_notes.h"
#include "storage/write_batch.h"

namespace wharf {

// What it collects must outlive it.
class OrderedWrites final : public WriteBatch::Visitor {
 public:
  void Put(TableId table, std::string_view key, std::string_view value) override;
  void PutNew(TableId table, std::string_view key, std::string_view value) override;
  void Delete(TableId table, std::string_view key) override;
  void SingleDelete(TableId table, std::string_view key) override;
  void DeleteRange(TableId table, std::string_view begin, std::string_view end) override;
  void NoteTime(Timestamp time) override;
  void NoteFreed(TableId table, std::string_view begin, std::string_view end) override;
  void NoteWatchedPut(TableId table, std::string_view key, std::string_view value) override;
  void NoteWatchedDelete(TableId table, std::string_view begin, std::string_view end) override;

  bool empty() const { return count_ == 0; }
  std::size_t count() const { return count_; }
  // Of them, deletions of ranges.
  std::size_t ranges() const { return ranges_; }
  // Of keys and values.
  std::size_t bytes() const { return bytes_; }
  const BatchNotes& notes() const { return notes_; }

  // Table by table, and between two deletions of a range each key once: the last put or deletion of
  // a row; nothing of a row that is put and deleted here and was not there before, because it is
  // deleted by SingleDelete or was put as new. Notes are not visited. Once: the writes are used up.
  void Visit(WriteBatch::Visitor& visitor);

 private:
  enum class Kind : std::uint8_t { kPut, kPutNew, kDelete, kSingleDelete, kDeleteRange };
  struct Write {
    std::string_view key;
    std::string_view value;
    Kind kind = Kind::kPut;
  };

  void Add(TableId table, const Write& write);
  // Without a deletion of a range among them.
  static void VisitRows(TableId table, std::span<Write> rows, WriteBatch::Visitor& visitor);
  static void Sort(std::span<Write> rows);
  // Those that are left stand in front.
  static std::span<Write> DropVoid(std::span<Write> rows);
  static bool Voids(const Write& later, const Write& before);
  // What both are together, of which the later one voids the one before; none: nothing.
  static std::optional<Write> Together(const Write& later, const Write& before);
  static void VisitOne(TableId table, const Write& write, WriteBatch::Visitor& visitor);

  // Of each table, as they came.
  std::vector<std::vector<Write>> tables_;
  std::size_t count_ = 0;
  std::size_t ranges_ = 0;
  std::size_t bytes_ = 0;
  BatchNotes notes_;
};

}  // namespace wharf
