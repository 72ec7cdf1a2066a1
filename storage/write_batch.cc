#include "storage/write_batch.h"

#include <cstdint>

namespace wharf {
namespace {

constexpr char kPut = 1;
constexpr char kDelete = 2;
constexpr char kSingleDelete = 3;
constexpr char kDeleteRange = 4;

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

bool VisitOne(Reader& reader, WriteBatch::Visitor& visitor) {
  std::uint8_t kind = 0;
  TableId table = 0;
  std::string_view key;
  std::string_view value;
  if (!reader.ReadByte(kind) || !reader.ReadByte(table) || !reader.ReadSized(key)) return false;
  switch (kind) {
    case kPut:
      if (!reader.ReadSized(value)) return false;
      visitor.Put(table, key, value);
      return true;
    case kDelete:
      visitor.Delete(table, key);
      return true;
    case kSingleDelete:
      visitor.SingleDelete(table, key);
      return true;
    case kDeleteRange:
      if (!reader.ReadSized(value)) return false;
      visitor.DeleteRange(table, key, value);
      return true;
    default:
      return false;
  }
}

}  // namespace

void WriteBatch::Put(TableId table, std::string_view key, std::string_view value) {
  Append(kPut, table, key);
  AppendSized(value);
}

void WriteBatch::Delete(TableId table, std::string_view key) { Append(kDelete, table, key); }

void WriteBatch::SingleDelete(TableId table, std::string_view key) {
  Append(kSingleDelete, table, key);
}

void WriteBatch::DeleteRange(TableId table, std::string_view begin, std::string_view end) {
  Append(kDeleteRange, table, begin);
  AppendSized(end);
}

Status WriteBatch::Visit(Visitor& visitor) const {
  Reader reader(bytes_);
  while (!reader.done()) {
    const std::size_t start = bytes_.size() - reader.bytes_left();
    if (!VisitOne(reader, visitor)) {
      return {ErrorCode::kGeneralError, "a write batch of " + std::to_string(bytes_.size()) +
                                            " bytes cannot be read from byte " +
                                            std::to_string(start) + " on"};
    }
  }
  return Status::Ok();
}

void WriteBatch::Append(char kind, TableId table, std::string_view key) {
  const char head[] = {kind, static_cast<char>(table)};
  bytes_.append(head, sizeof(head));
  AppendSized(key);
}

void WriteBatch::AppendSized(std::string_view text) {
  char varint[10];
  std::size_t length = 0;
  std::uint64_t rest = text.size();
  for (; rest >= 0x80; rest >>= 7) varint[length++] = static_cast<char>(rest | 0x80);
  varint[length++] = static_cast<char>(rest);
  bytes_.append(varint, length);
  bytes_.append(text);
}

}  // namespace wharf
