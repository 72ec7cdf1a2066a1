// WriteBatch: a list of writes that becomes durable as one, as plain bytes.
//
// The bytes are self-contained (a replica can apply them), appended on the shard's thread and read
// by a commit log.
//
//   batch = (write | note)*
//   write = kind (1) · table (1) · length of key (varint) · key [· length (varint) · value]
//   note  = kind (1) · time (8, microseconds since 1970, big-endian)
//         | kind (1) · table (1) · length (varint) · begin · length (varint) · end
//
// where Put has a value, and DeleteRange has the range's end (exclusive) in its place. A note
// writes no row: it tells the applier of the batch something beside its rows (batch_notes.h).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/base/status.h"
#include "storage/base/time.h"
#include "storage/table.h"

namespace wharf {

class WriteBatch {
 public:
  // Receives the writes and notes of a batch in their order.
  class Visitor {
   public:
    virtual ~Visitor() = default;
    virtual void Put(TableId table, std::string_view key, std::string_view value) = 0;
    // A Put, to whoever does not ask whether the row was there before.
    virtual void PutNew(TableId table, std::string_view key, std::string_view value) {
      Put(table, key, value);
    }
    virtual void Delete(TableId table, std::string_view key) = 0;
    virtual void SingleDelete(TableId table, std::string_view key) = 0;
    virtual void DeleteRange(TableId table, std::string_view begin, std::string_view end) = 0;
    virtual void NoteTime(Timestamp time) = 0;
    virtual void NoteFreed(TableId table, std::string_view begin, std::string_view end) = 0;
    // What was told before is written to a watched table: a row is put, or rows are deleted.
    virtual void NoteWatchedPut(TableId /*table*/, std::string_view /*key*/,
                                std::string_view /*value*/) {}
    virtual void NoteWatchedDelete(TableId /*table*/, std::string_view /*begin*/,
                                   std::string_view /*end*/) {}
  };

  // A key or a value is not larger: far more than any row has, and far from where RocksDB counts
  // in 32 bits.
  static constexpr std::size_t kTextBytesMax = std::size_t{64} << 20;

  WriteBatch() = default;
  // Takes the bytes of another batch, e.g. from a replica. Visit checks them.
  explicit WriteBatch(std::string bytes) : bytes_(std::move(bytes)) {}

  // There will be about so many bytes: a batch that grows is copied each time that it has doubled.
  void Reserve(std::size_t bytes) { bytes_.reserve(bytes); }

  void Put(TableId table, std::string_view key, std::string_view value);
  // Of a value in pieces, which stand nowhere as one.
  void Put(TableId table, std::string_view key, std::span<const std::string_view> value);
  // Of a row that is not there before: put and deleted again before it is written it leaves
  // nothing, also no deletion (ordered_writes.h). The bytes do not say so: whoever has but them, a
  // start or a replica, takes it for any other.
  void PutNew(TableId table, std::string_view key, std::string_view value);
  void Delete(TableId table, std::string_view key);
  // Only for a key that was put exactly once since it was last deleted.
  void SingleDelete(TableId table, std::string_view key);
  // Everything from `begin` up to but not `end`, which is behind it.
  void DeleteRange(TableId table, std::string_view begin, std::string_view end);

  // Broker time of the batch.
  void NoteTime(Timestamp time);
  // With this batch so many rows of the range are gone that its space is worth giving back.
  void NoteFreed(TableId table, std::string_view begin, std::string_view end);

  bool empty() const { return bytes_.empty(); }
  const std::string& bytes() const { return bytes_; }

  // The writes and notes, in their order, as far as a store with these tables can apply them. An
  // error, not done, names the first that it cannot apply; those before it were visited then.
  // Whatever a store might refuse for its content is refused here: bytes that are no batch, a table
  // that is not there, a range that ends before it begins, one in the midst of neighbours, a row
  // that is deleted in another way than that of its table (table.h), a text that is too large.
  Status Visit(const TableSet& tables, Visitor& visitor) const;
  // Whether a store with these tables can apply all of it.
  Status Check(const TableSet& tables) const;

 private:
  void Append(char kind, TableId table, std::string_view key);
  void AppendSized(std::string_view text);
  void AppendSize(std::size_t size);

  std::string bytes_;
  // Where in the bytes puts of new rows begin.
  std::vector<std::size_t> new_rows_;
};

}  // namespace wharf
