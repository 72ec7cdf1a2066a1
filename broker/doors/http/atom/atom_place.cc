#include "broker/doors/http/atom/atom_place.h"

#include <vector>

#include "broker/core/entities/names.h"

namespace wharf::atom {
namespace {

using Kind = AtomPlace::Kind;
using Segments = std::vector<std::string_view>;

Segments Split(std::string_view path) {
  Segments segments;
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/')) {
    segments.push_back(path.substr(0, slash));
    path.remove_prefix(slash + 1);
  }
  segments.push_back(path);
  return segments;
}

std::string Joined(const Segments& segments, std::size_t count) {
  std::string path;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) path += '/';
    path += segments[i];
  }
  return path;
}

bool Is(std::string_view segment, std::string_view word) {
  return FoldPath(segment) == FoldPath(word);
}

// The path of a subscription is written as ours are, whatever the case of the word between.
std::string SubscriptionAt(const Segments& segments, std::size_t word) {
  return SubscriptionPath(Joined(segments, word), segments[word + 1]);
}

}  // namespace

AtomPlace PlaceOf(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  const Segments segments = Split(path);
  const std::size_t size = segments.size();
  const auto is = [&](std::size_t from_right, std::string_view word) {
    return size > from_right && Is(segments[size - from_right], word);
  };
  if (Is(path, "$namespaceinfo")) return {Kind::kNamespace};
  if (Is(path, "$Resources/Queues")) return {Kind::kQueues};
  if (Is(path, "$Resources/Topics")) return {Kind::kTopics};
  if (path.starts_with('$')) return {Kind::kNothing};
  if (is(2, "Rules") && is(4, "Subscriptions")) {
    return {Kind::kRule, SubscriptionAt(segments, size - 4), std::string(segments[size - 1])};
  }
  if (is(1, "Rules") && is(3, "Subscriptions")) {
    return {Kind::kRules, SubscriptionAt(segments, size - 3)};
  }
  if (is(2, "Subscriptions")) return {Kind::kSubscription, SubscriptionAt(segments, size - 2)};
  if (is(1, "Subscriptions")) return {Kind::kSubscriptions, Joined(segments, size - 1)};
  return {Kind::kEntity, std::string(path)};
}

}  // namespace wharf::atom
