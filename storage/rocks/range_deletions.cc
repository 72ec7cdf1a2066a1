#include "storage/rocks/range_deletions.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "storage/rocks/rocks_status.h"

namespace wharf {
namespace {

using Properties = rocksdb::UserCollectedProperties;
using rocksdb::Slice;

constexpr char kName[] = "wharf.range_deletions";

// Each text with its length before it: "3:abc".
void AppendText(std::string& bytes, std::string_view text) {
  bytes += std::to_string(text.size()) + ':';
  bytes += text;
}

std::optional<std::string> TakeText(std::string_view& bytes) {
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(bytes.data(), bytes.data() + bytes.size(), size);
  const auto digits = static_cast<std::size_t>(end - bytes.data());
  const bool is_whole = error == std::errc() && digits < bytes.size() && bytes[digits] == ':' &&
                        size < bytes.size() - digits;
  if (!is_whole) return std::nullopt;
  std::string text(bytes.substr(digits + 1, size));
  bytes.remove_prefix(digits + 1 + size);
  return text;
}

class Collector final : public rocksdb::TablePropertiesCollector {
 public:
  const char* Name() const override { return kName; }

  rocksdb::Status AddUserKey(const Slice& key, const Slice& value, rocksdb::EntryType type,
                             rocksdb::SequenceNumber /*number*/,
                             std::uint64_t /*file_size*/) override {
    if (type == rocksdb::kEntryRangeDeletion) Note(key.ToString(), value.ToString());
    return rocksdb::Status::OK();
  }

  rocksdb::Status Finish(Properties* properties) override {
    if (ranges_.empty()) return rocksdb::Status::OK();
    std::string& bytes = (*properties)[kName];
    for (const KeyRange& range : ranges_) {
      AppendText(bytes, range.begin);
      AppendText(bytes, range.end);
    }
    return rocksdb::Status::OK();
  }

  Properties GetReadableProperties() const override { return {}; }

 private:
  // They come in the order of their beginnings.
  void Note(std::string begin, std::string end) {
    if (!ranges_.empty() && begin <= ranges_.back().end) {
      ranges_.back().end = std::max(ranges_.back().end, std::move(end));
    } else if (ranges_.size() < kRangesOfFileMax) {
      ranges_.push_back({std::move(begin), std::move(end)});
    }
  }

  std::vector<KeyRange> ranges_;
};

class Collectors final : public rocksdb::TablePropertiesCollectorFactory {
 public:
  const char* Name() const override { return kName; }
  rocksdb::TablePropertiesCollector* CreateTablePropertiesCollector(Context /*context*/) override {
    return new Collector;
  }
};

}  // namespace

std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> MakeRangeDeletionCollectors() {
  return std::make_shared<Collectors>();
}

std::vector<KeyRange> RangeDeletionsOf(const rocksdb::TableProperties& properties) {
  std::vector<KeyRange> ranges;
  const auto found = properties.user_collected_properties.find(kName);
  if (found == properties.user_collected_properties.end()) return ranges;
  std::string_view bytes = found->second;
  while (!bytes.empty()) {
    std::optional<std::string> begin = TakeText(bytes);
    std::optional<std::string> end = begin ? TakeText(bytes) : std::nullopt;
    if (!end) break;
    ranges.push_back({*std::move(begin), *std::move(end)});
  }
  return ranges;
}

}  // namespace wharf
