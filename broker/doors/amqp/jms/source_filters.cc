#include "broker/doors/amqp/jms/source_filters.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace wharf::amqp::jms {
namespace {

struct KnownFilter {
  std::uint64_t number;
  std::string_view symbol;
  std::string_view key;
};
constexpr KnownFilter kSelector{0x468C00000004, "apache.org:selector-filter:string",
                                "jms-selector"};
constexpr KnownFilter kNoLocal{0x468C00000003, "apache.org:no-local-filter:list", "no-local"};

// By its description; one that has none by its key.
bool IsThe(const KnownFilter& filter, const MapEntry& entry) {
  if (const Described* const described = entry.value.AsDescribed()) {
    const auto* const number = described->descriptor.As<std::uint64_t>();
    const auto* const symbol = described->descriptor.As<Symbol>();
    return (number != nullptr && *number == filter.number) ||
           (symbol != nullptr && symbol->text == filter.symbol);
  }
  const auto* const key = entry.key.As<Symbol>();
  return key != nullptr && (key->text == filter.key || key->text == filter.symbol);
}

const Value& InnerOf(const MapEntry& entry) {
  const Described* const described = entry.value.AsDescribed();
  return described == nullptr ? entry.value : described->value;
}

}  // namespace

Result<SourceFilters> FiltersOf(const Source& source) {
  SourceFilters filters;
  if (!source.filter.has_value()) return filters;
  for (const MapEntry& entry : source.filter->entries) {
    if (IsThe(kNoLocal, entry)) continue;
    if (!IsThe(kSelector, entry)) {
      filters.others.entries.push_back(entry);
      continue;
    }
    const Value& value = InnerOf(entry);
    if (value.As<Null>() != nullptr) continue;
    const auto* const text = value.As<std::string>();
    if (text == nullptr) return Status(ErrorCode::kArgumentError, "jms-selector: it is no string");
    if (filters.selector.has_value()) {
      return Status(ErrorCode::kArgumentError, "jms-selector: a consumer has one, and not two");
    }
    filters.selector = *text;
  }
  return filters;
}

std::optional<Map> WithoutNoLocal(const std::optional<Map>& filter) {
  if (!filter.has_value()) return filter;
  Map kept;
  for (const MapEntry& entry : filter->entries) {
    if (!IsThe(kNoLocal, entry)) kept.entries.push_back(entry);
  }
  if (kept.entries.empty()) return std::nullopt;
  return kept;
}

}  // namespace wharf::amqp::jms
