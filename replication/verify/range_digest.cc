#include "replication/verify/range_digest.h"

#include <string>

namespace wharf {
namespace {

// FNV-1a of 64 bits, of pieces one behind another.
class RowHash {
 public:
  void Add(std::string_view text) {
    for (const char byte : text) AddByte(static_cast<std::uint8_t>(byte));
  }
  // So that no two lists of texts are the same bytes.
  void AddSize(std::size_t size) {
    for (int shift = 0; shift < 64; shift += 8) AddByte(static_cast<std::uint8_t>(size >> shift));
  }
  std::uint64_t value() const { return hash_; }

 private:
  void AddByte(std::uint8_t byte) { hash_ = (hash_ ^ byte) * 0x100000001b3; }

  std::uint64_t hash_ = 0xcbf29ce484222325;
};

void AddRow(TableId table, const StoreCursor& row, RowHash& hash, RangeDigest& digest) {
  hash.AddSize(table);
  hash.AddSize(row.key().size());
  hash.Add(row.key());
  hash.AddSize(row.value().size());
  hash.Add(row.value());
  if (!digest.first) digest.first = RowPlace{table, std::string(row.key())};
  ++digest.rows;
  digest.bytes += row.key().size() + row.value().size();
}

// Above all keys.
const std::string& KeyEnd() {
  static const std::string kEnd(64, '\xFF');
  return kEnd;
}

}  // namespace

Result<RangeDigest> DigestRange(const StoreView& view, const TableSet& tables,
                                const StateCheck& check, LeftOutRows* left_out,
                                const std::atomic<bool>& is_stopping) {
  RangeDigest digest;
  RowHash hash;
  for (std::size_t table = check.begin.table; table < tables.size() && !digest.end; ++table) {
    const auto id = static_cast<TableId>(table);
    const std::string begin = id == check.begin.table ? check.begin.key : std::string();
    const auto row = view.Scan(id, {begin, KeyEnd()});
    for (; row->valid() && !digest.end; row->Next()) {
      if (is_stopping) return Status(ErrorCode::kServiceCommunicationProblem, "this node stops");
      if (left_out != nullptr && left_out->IsLeftOut(id, row->key(), row->value())) continue;
      AddRow(id, *row, hash, digest);
      if (digest.bytes >= check.bytes) digest.end = RowPlace{id, std::string(row->key()) + '\0'};
    }
    WHARF_RETURN_IF_ERROR(row->status());
  }
  digest.hash = hash.value();
  return digest;
}

}  // namespace wharf
