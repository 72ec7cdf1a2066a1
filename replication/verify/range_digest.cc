#include "replication/verify/range_digest.h"

#include <array>
#include <string>

#include "storage/base/fnv1a.h"

namespace wharf {
namespace {

// Of texts one behind another, so that no two lists of them are the same bytes.
class RowHash {
 public:
  void Add(std::string_view text) {
    AddNumber(text.size());
    hash_ = Fnv1a(text, hash_);
  }
  void AddNumber(std::uint64_t number) {
    std::array<char, 8> bytes{};
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      bytes[at] = static_cast<char>(number >> (8 * at));
    }
    hash_ = Fnv1a({bytes.data(), bytes.size()}, hash_);
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = kFnv1aStart;
};

void AddRow(TableId table, const StoreCursor& row, RowHash& hash, RangeDigest& digest) {
  hash.AddNumber(table);
  hash.Add(row.key());
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
