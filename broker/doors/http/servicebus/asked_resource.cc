#include "broker/doors/http/servicebus/asked_resource.h"

#include <memory>
#include <utility>

#include "broker/access/resource.h"
#include "broker/core/entities/names.h"
#include "broker/requests/rights_for.h"

namespace wharf {
namespace {

constexpr std::string_view kSubscriptionsEnd = "/subscriptions";
constexpr std::string_view kRules = "/rules";

// Rules of a subscription are the subscription's, and the list of subscriptions the topic's.
std::string OfEntities(std::string path) {
  if (path.starts_with('$')) return {};
  const SubscriptionName parts = SplitSubscriptionPath(path);
  const std::size_t rules = parts.name.empty() ? std::string::npos : path.rfind(kRules);
  const bool is_rule = rules != std::string::npos &&
                       (path.size() == rules + kRules.size() || path[rules + kRules.size()] == '/');
  if (is_rule) path.resize(rules);
  if (path.ends_with(kSubscriptionsEnd)) path.resize(path.size() - kSubscriptionsEnd.size());
  return path;
}

}  // namespace

std::string AskedResource(const std::optional<DataRoute>& route, std::string_view path) {
  return route ? ResourceOfAddress(route->entity) : OfEntities(FoldPath(path));
}

access::PermitPtr PermitFor(access::PermitPtr permit, std::string_view path,
                            const std::string& asked) {
  const bool is_for_it = permit == nullptr || access::Covers(permit->resource, asked);
  if (is_for_it) return permit;
  const bool is_for_request = access::Covers(permit->resource, FoldPath(path));
  const bool is_below = access::Covers(asked, permit->resource);
  const bool has_rule = access::Covers(permit->path, asked);
  if (!is_for_request || !is_below || !has_rule) return permit;
  access::Permit narrow = *permit;
  narrow.resource = asked;
  return std::make_shared<const access::Permit>(std::move(narrow));
}

// What is put there by its description, an entity or a rule, takes one right.
std::optional<access::Right> RightBeforeBody(const std::optional<DataRoute>& route,
                                             std::string_view method) {
  static_assert(kNeed<CreateEntityRequest>.right == kNeed<AddRuleRequest>.right);
  if (route) return route->verb == DataVerb::kSend ? kNeed<SendRequest>.right : std::nullopt;
  return method == "PUT" ? kNeed<CreateEntityRequest>.right : std::nullopt;
}

}  // namespace wharf
