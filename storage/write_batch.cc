#include "storage/write_batch.h"

#include <cstdint>

#include "storage/batch_times.h"

namespace wharf {
namespace {

constexpr char kPut = 1;
constexpr char kDelete = 2;
constexpr char kSingleDelete = 3;
constexpr char kDeleteRange = 4;
constexpr char kTime = 5;
constexpr char kFreed = 6;

constexpr std::size_t kTimeBytes = 8;

// Reads the parts of a batch; everything is checked against what is left.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}

  bool done() const { return left_.empty(); }
  std::size_t bytes_left() const { return left_.size(); }

  bool ReadByte(std::uint8_t& byte) {
    if (left_.empty()) return false;
    byte = static_cast<std::uint8_t>(left_.front());
    left_.remove_prefix(1);
    return true;
  }

  bool ReadSized(std::string_view& text) {
    std::uint64_t size = 0;
    if (!ReadVarint(size) || size > left_.size()) return false;
    text = left_.substr(0, size);
    left_.remove_prefix(size);
    return true;
  }

  bool ReadTime(Timestamp& time) {
    std::uint64_t micros = 0;
    for (std::size_t i = 0; i < kTimeBytes; ++i) {
      std::uint8_t byte = 0;
      if (!ReadByte(byte)) return false;
      micros = micros << 8 | byte;
    }
    time = Timestamp(Duration(static_cast<std::int64_t>(micros)));
    return true;
  }

 private:
  bool ReadVarint(std::uint64_t& number) {
    number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      std::uint8_t byte = 0;
      if (!ReadByte(byte)) return false;
      number |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }

  std::string_view left_;
};

// Why a write cannot be applied; none if it can.
using Fault = const char*;
constexpr Fault kNoFault = nullptr;
constexpr Fault kUnreadable = "it cannot be read";

struct Write {
  std::uint8_t kind = 0;
  TableId table = 0;
  std::string_view key;  // Or where a range begins.
  std::string_view value;
  Timestamp time;
  bool is_new = false;

  bool has_range() const { return kind == kDeleteRange || kind == kFreed; }
};

bool ReadWrite(Reader& reader, Write& write) {
  if (!reader.ReadByte(write.kind)) return false;
  if (write.kind == kTime) return reader.ReadTime(write.time);
  if (write.kind < kPut || write.kind > kFreed) return false;
  if (!reader.ReadByte(write.table) || !reader.ReadSized(write.key)) return false;
  const bool has_value = write.kind == kPut || write.has_range();
  return !has_value || reader.ReadSized(write.value);
}

// What a compaction drops as garbage counts as deleted in the way of its table.
bool IsDeletedInAnotherWay(const Write& write, const TableOptions& table) {
  if (table.is_deleted_singly) return write.kind == kDelete;
  return write.kind == kSingleDelete && table.garbage.has_value();
}

Fault FaultOf(const Write& write, const TableSet& tables) {
  if (write.kind == kTime) return kNoFault;
  if (write.table >= tables.size()) return "it names a table that is not there";
  if (write.key.size() > WriteBatch::kTextBytesMax ||
      write.value.size() > WriteBatch::kTextBytesMax) {
    return "it has a key or a value of more than 64 MiB";
  }
  if (IsDeletedInAnotherWay(write, tables[write.table])) {
    return "it deletes a row in another way than that of its table";
  }
  if (!write.has_range()) return kNoFault;
  if (write.key >= write.value) return "it names a range that ends before it begins";
  const TableOptions& table = tables[write.table];
  const bool may_cut = table.neighbours_prefix == 0 || table.is_deleted_singly;
  if (write.kind == kDeleteRange && !may_cut && write.key.size() > table.neighbours_prefix) {
    return "it deletes a range in the midst of neighbours";
  }
  return kNoFault;
}

void Tell(const Write& write, WriteBatch::Visitor& visitor) {
  switch (write.kind) {
    case kPut:
      return write.is_new ? visitor.PutNew(write.table, write.key, write.value)
                          : visitor.Put(write.table, write.key, write.value);
    case kDelete:
      return visitor.Delete(write.table, write.key);
    case kSingleDelete:
      return visitor.SingleDelete(write.table, write.key);
    case kDeleteRange:
      return visitor.DeleteRange(write.table, write.key, write.value);
    case kTime:
      return visitor.NoteTime(write.time);
    default:
      return visitor.NoteFreed(write.table, write.key, write.value);
  }
}

void TellWatched(const Write& write, const TableSet& tables, WriteBatch::Visitor& visitor) {
  if (write.kind >= kTime || !tables[write.table].is_watched) return;
  if (write.kind == kPut) return visitor.NoteWatchedPut(write.table, write.key, write.value);
  if (write.has_range()) return visitor.NoteWatchedDelete(write.table, write.key, write.value);
  const std::string behind = std::string(write.key) + '\0';
  visitor.NoteWatchedDelete(write.table, write.key, behind);
}

class Nobody final : public WriteBatch::Visitor {
 public:
  void Put(TableId, std::string_view, std::string_view) override {}
  void Delete(TableId, std::string_view) override {}
  void SingleDelete(TableId, std::string_view) override {}
  void DeleteRange(TableId, std::string_view, std::string_view) override {}
  void NoteTime(Timestamp) override {}
  void NoteFreed(TableId, std::string_view, std::string_view) override {}
};

}  // namespace

void WriteBatch::Put(TableId table, std::string_view key, std::string_view value) {
  Append(kPut, table, key);
  AppendSized(value);
}

void WriteBatch::Put(TableId table, std::string_view key, std::span<const std::string_view> value) {
  Append(kPut, table, key);
  std::size_t size = 0;
  for (const std::string_view piece : value) size += piece.size();
  AppendSize(size);
  for (const std::string_view piece : value) bytes_.append(piece);
}

void WriteBatch::PutNew(TableId table, std::string_view key, std::string_view value) {
  new_rows_.push_back(bytes_.size());
  Put(table, key, value);
}

void WriteBatch::Delete(TableId table, std::string_view key) { Append(kDelete, table, key); }

void WriteBatch::SingleDelete(TableId table, std::string_view key) {
  Append(kSingleDelete, table, key);
}

void WriteBatch::DeleteRange(TableId table, std::string_view begin, std::string_view end) {
  Append(kDeleteRange, table, begin);
  AppendSized(end);
}

void WriteBatch::NoteTime(Timestamp time) {
  const auto micros = static_cast<std::uint64_t>(time.time_since_epoch().count());
  bytes_.push_back(kTime);
  for (std::size_t i = kTimeBytes; i > 0; --i) {
    bytes_.push_back(static_cast<char>(micros >> (8 * (i - 1))));
  }
}

void WriteBatch::NoteFreed(TableId table, std::string_view begin, std::string_view end) {
  Append(kFreed, table, begin);
  AppendSized(end);
}

std::vector<BatchTime> TimesIn(std::string_view bytes) {
  std::vector<BatchTime> times;
  Reader reader(bytes);
  while (!reader.done()) {
    Write write;
    if (!ReadWrite(reader, write)) return {};
    if (write.kind == kTime) times.push_back({write.time, bytes.size() - reader.bytes_left()});
  }
  return times;
}

Status WriteBatch::Visit(const TableSet& tables, Visitor& visitor) const {
  Reader reader(bytes_);
  auto next_new = new_rows_.begin();
  while (!reader.done()) {
    const std::size_t start = bytes_.size() - reader.bytes_left();
    Write write;
    const Fault fault = ReadWrite(reader, write) ? FaultOf(write, tables) : kUnreadable;
    if (fault != kNoFault) {
      return {ErrorCode::kGeneralError, "a write batch of " + std::to_string(bytes_.size()) +
                                            " bytes cannot be applied from byte " +
                                            std::to_string(start) + " on: " + fault};
    }
    if (next_new != new_rows_.end() && *next_new == start) {
      write.is_new = true;
      ++next_new;
    }
    Tell(write, visitor);
    TellWatched(write, tables, visitor);
  }
  return Status::Ok();
}

Status WriteBatch::Check(const TableSet& tables) const {
  Nobody nobody;
  return Visit(tables, nobody);
}

void WriteBatch::Append(char kind, TableId table, std::string_view key) {
  const char head[] = {kind, static_cast<char>(table)};
  bytes_.append(head, sizeof(head));
  AppendSized(key);
}

void WriteBatch::AppendSized(std::string_view text) {
  AppendSize(text.size());
  bytes_.append(text);
}

void WriteBatch::AppendSize(std::size_t size) {
  char varint[10];
  std::size_t length = 0;
  std::uint64_t rest = size;
  for (; rest >= 0x80; rest >>= 7) varint[length++] = static_cast<char>(rest | 0x80);
  varint[length++] = static_cast<char>(rest);
  bytes_.append(varint, length);
}

}  // namespace wharf
