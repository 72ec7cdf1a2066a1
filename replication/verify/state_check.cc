#include "replication/verify/state_check.h"

#include <cstddef>

namespace wharf {
namespace {

// Numbers are on the wire.
enum class AnswerKind : std::uint8_t { kDigest = 1, kTrouble = 2 };

constexpr std::size_t kCheckHeadBytes = 8 + 8 + 1;
constexpr std::size_t kAnswerHeadBytes = 8 + 8 + 1;
constexpr std::size_t kDigestHeadBytes = 8 + 8 + 8 + 1 + 1 + 1 + 1 + 4;

void PutBytes(std::uint64_t number, std::size_t bytes, std::string& out) {
  for (; bytes > 0; --bytes) out.push_back(static_cast<char>(number >> (8 * (bytes - 1))));
}

// Takes them off; there are enough.
std::uint64_t TakeBytes(std::string_view& in, std::size_t bytes) {
  std::uint64_t number = 0;
  for (std::size_t at = 0; at < bytes; ++at) {
    number = (number << 8) | static_cast<std::uint8_t>(in[at]);
  }
  in.remove_prefix(bytes);
  return number;
}

void PutDigest(const RangeDigest& digest, std::string& out) {
  PutBytes(digest.hash, 8, out);
  PutBytes(digest.rows, 8, out);
  PutBytes(digest.bytes, 8, out);
  PutBytes(digest.first ? 1 : 0, 1, out);
  PutBytes(digest.end ? 1 : 0, 1, out);
  const RowPlace first = digest.first.value_or(RowPlace());
  const RowPlace end = digest.end.value_or(RowPlace());
  PutBytes(first.table, 1, out);
  PutBytes(end.table, 1, out);
  PutBytes(first.key.size(), 4, out);
  out += first.key;
  out += end.key;
}

std::optional<RangeDigest> TakeDigest(std::string_view in) {
  if (in.size() < kDigestHeadBytes) return std::nullopt;
  RangeDigest digest;
  digest.hash = TakeBytes(in, 8);
  digest.rows = TakeBytes(in, 8);
  digest.bytes = TakeBytes(in, 8);
  const bool has_first = TakeBytes(in, 1) != 0;
  const bool has_end = TakeBytes(in, 1) != 0;
  RowPlace first{.table = static_cast<TableId>(TakeBytes(in, 1))};
  RowPlace end{.table = static_cast<TableId>(TakeBytes(in, 1))};
  const std::uint64_t key_bytes = TakeBytes(in, 4);
  if (key_bytes > in.size()) return std::nullopt;
  first.key = in.substr(0, key_bytes);
  end.key = in.substr(key_bytes);
  if (has_first) digest.first = std::move(first);
  if (has_end) digest.end = std::move(end);
  return digest;
}

}  // namespace

std::string StateCheck::Encode() const {
  std::string out;
  PutBytes(id, 8, out);
  PutBytes(bytes, 8, out);
  PutBytes(begin.table, 1, out);
  out += begin.key;
  return out;
}

std::optional<StateCheck> StateCheck::Decode(std::string_view bytes) {
  if (bytes.size() < kCheckHeadBytes) return std::nullopt;
  StateCheck check;
  check.id = TakeBytes(bytes, 8);
  check.bytes = TakeBytes(bytes, 8);
  check.begin.table = static_cast<TableId>(TakeBytes(bytes, 1));
  check.begin.key = bytes;
  return check;
}

std::string StateCheckAnswer::Encode() const {
  std::string out;
  PutBytes(id, 8, out);
  PutBytes(index, 8, out);
  PutBytes(static_cast<std::uint8_t>(digest ? AnswerKind::kDigest : AnswerKind::kTrouble), 1, out);
  if (digest) {
    PutDigest(*digest, out);
  } else {
    out += trouble;
  }
  return out;
}

std::optional<StateCheckAnswer> StateCheckAnswer::Decode(std::string_view bytes) {
  if (bytes.size() < kAnswerHeadBytes) return std::nullopt;
  StateCheckAnswer answer;
  answer.id = TakeBytes(bytes, 8);
  answer.index = TakeBytes(bytes, 8);
  const auto kind = static_cast<AnswerKind>(TakeBytes(bytes, 1));
  if (kind == AnswerKind::kTrouble) {
    answer.trouble = bytes;
    return answer;
  }
  if (kind != AnswerKind::kDigest) return std::nullopt;
  answer.digest = TakeDigest(bytes);
  if (!answer.digest) return std::nullopt;
  return answer;
}

}  // namespace wharf
