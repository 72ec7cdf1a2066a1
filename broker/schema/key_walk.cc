#include "broker/schema/key_walk.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "broker/schema/message_rows.h"

namespace wharf {
namespace {

// The lowest key that is above all that begin with this; empty if there is none.
std::string Above(std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xFF') prefix.pop_back();
  if (!prefix.empty()) prefix.back() = static_cast<char>(prefix.back() + 1);
  return prefix;
}

constexpr std::size_t kBytes = 8;

std::uint64_t EightBytesAt(std::string_view key, std::size_t at) {
  std::uint64_t number = 0;
  for (std::size_t i = at; i < at + kBytes; ++i) {
    number = number << 8 | (i < key.size() ? static_cast<std::uint8_t>(key[i]) : 0U);
  }
  return number;
}

std::string WithEightBytes(std::string_view prefix, std::uint64_t number) {
  std::string key(prefix);
  for (std::size_t i = 0; i < kBytes; ++i) {
    key.push_back(static_cast<char>(number >> 8 * (kBytes - 1 - i)));
  }
  return key;
}

// A key behind the damage at `bad` from which on rows can be read: less and less of `bad` is kept.
std::string FindBehind(StoreCursor& rows, const std::string& bad, const std::string& end) {
  for (std::size_t kept = bad.size(); kept > 0; --kept) {
    std::string behind = Above(bad.substr(0, kept));
    if (behind.empty() || behind >= end) break;
    rows.Seek(behind);
    if (!HasMetDamage(rows)) return behind;
  }
  return end;
}

// Where rows that cannot be read at `bad` can be read again, to eight bytes behind what both keys
// have in common: rows between keys that differ only behind these are given up.
std::string EndOfDamage(StoreCursor& rows, const std::string& bad, const std::string& end) {
  const std::string behind = FindBehind(rows, bad, end);
  const auto differ = std::mismatch(bad.begin(), bad.end(), behind.begin(), behind.end());
  const std::string common(bad.begin(), differ.first);
  std::uint64_t low = EightBytesAt(bad, common.size());
  std::uint64_t high = EightBytesAt(behind, common.size());
  std::string found = behind;
  while (low < high && high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    std::string key = WithEightBytes(common, middle);
    rows.Seek(key);
    if (HasMetDamage(rows)) {
      low = middle;
    } else {
      high = middle;
      found = std::move(key);
    }
  }
  return found;
}

}  // namespace

Result<bool> KeyWalk::HasNext() {
  if (HasMetDamage(*rows_) && range_.begin < range_.end) PassDamage();
  if (rows_->valid()) return true;
  const Status status = rows_->status();
  if (!status.ok() && !status.is_damage()) return status;
  return false;
}

void KeyWalk::Next() {
  range_.begin = std::string(rows_->key()) + '\0';
  rows_->Next();
}

void KeyWalk::Seek(std::string key) {
  range_.begin = std::move(key);
  rows_->Seek(range_.begin);
}

void KeyWalk::PassDamage() {
  ++damaged_places_;
  range_.begin = EndOfDamage(*rows_, range_.begin, range_.end);
  rows_->Seek(range_.begin);
}

}  // namespace wharf
