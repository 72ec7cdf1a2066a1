#include "broker/doors/amqp/message/rewrite.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <vector>

#include "broker/doors/amqp/codec/reader.h"
#include "broker/doors/amqp/codec/writer.h"
#include "broker/doors/amqp/types/composites.h"
#include "broker/doors/amqp/types/descriptor.h"

namespace wharf::amqp {

namespace {

// The bytes were accepted before, perhaps with more room than is usual.
constexpr DecodeLimits kAccepted{.depth_max = 128};

// The encoded values of a section's list or map, one by one.
std::vector<std::string_view> EncodedItems(std::string_view section) {
  std::vector<std::string_view> items;
  if (section.empty()) return items;
  Reader reader(section, kAccepted);
  reader.EnterDescribed();
  ReadDescriptor(reader);
  const bool is_map = reader.PeekType() == Type::kMap;
  const Reader::Compound compound = is_map ? reader.EnterMap() : reader.EnterList();
  for (std::uint32_t i = 0; i < compound.count && reader.ok(); ++i) {
    items.push_back(reader.TakeEncoded());
  }
  assert(reader.ok());
  return items;
}

// Nothing if it is neither a string nor a symbol.
std::optional<std::string> KeyOf(std::string_view encoded) {
  Reader reader(encoded);
  if (reader.PeekType() == Type::kString) return std::string(reader.ReadString());
  if (reader.PeekType() == Type::kSymbol) return std::string(reader.ReadSymbol());
  return std::nullopt;
}

void WriteKey(Writer& writer, std::uint64_t descriptor, std::string_view key) {
  if (descriptor == descriptor::kApplicationProperties) {
    writer.WriteString(key);
  } else {
    writer.WriteSymbol(key);
  }
}

}  // namespace

std::string RewriteMap(std::uint64_t descriptor, std::string_view section,
                       const MapChanges& changes) {
  std::string out;
  Writer writer(out);
  writer.BeginDescribed(descriptor);
  const Writer::Mark map = writer.Begin();
  std::uint32_t count = 0;
  std::set<std::string> changed;
  const std::vector<std::string_view> items = EncodedItems(section);
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    const std::optional<std::string> key = KeyOf(items[i]);
    const auto change = key.has_value() ? changes.find(*key) : changes.end();
    const bool is_kept = change == changes.end();
    // The first of its name takes the change; another one would be a second value.
    if (!is_kept && (!changed.insert(*key).second || !change->second.has_value())) continue;
    writer.WriteEncoded(items[i]);
    is_kept ? writer.WriteEncoded(items[i + 1]) : writer.Write(*change->second);
    count += 2;
  }
  for (const auto& [key, change] : changes) {
    if (!change.has_value() || changed.contains(key)) continue;
    WriteKey(writer, descriptor, key);
    writer.Write(*change);
    count += 2;
  }
  writer.EndMap(map, count);
  return count == 0 && section.empty() ? std::string() : out;
}

std::string RewriteList(std::uint64_t descriptor, std::string_view section,
                        const ListChanges& changes) {
  const std::vector<std::string_view> items = EncodedItems(section);
  std::size_t size = items.size();
  for (const auto& [place, change] : changes) {
    if (change.has_value()) size = std::max(size, place + 1);
  }
  if (size == 0 && section.empty()) return {};
  std::string out;
  Writer writer(out);
  writer.BeginDescribed(descriptor);
  const Writer::Mark list = writer.Begin();
  for (std::size_t i = 0; i < size; ++i) {
    const auto change = changes.find(i);
    if (change != changes.end()) {
      writer.Write(change->second.value_or(Value()));
    } else if (i < items.size()) {
      writer.WriteEncoded(items[i]);
    } else {
      writer.WriteNull();
    }
  }
  writer.EndList(list, static_cast<std::uint32_t>(size));
  return out;
}

}  // namespace wharf::amqp
