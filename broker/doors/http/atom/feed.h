// Entries and feeds: what a description comes and goes in, one by itself or a page of them. Pure
// functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "broker/doors/http/atom/site.h"
#include "broker/doors/http/atom/xml_tree.h"
#include "broker/requests/entity_requests.h"
#include "broker/requests/rule_requests.h"
#include "storage/base/status.h"

namespace wharf::atom {

// The type of a body that has one of them.
inline constexpr std::string_view kEntryType = "application/atom+xml;type=entry;charset=utf-8";
inline constexpr std::string_view kFeedType = "application/atom+xml;type=feed;charset=utf-8";

// What an entry has in it: one element of Service Bus.
Result<XmlElement> ContentOf(std::string_view entry);

std::string EntityEntry(const QueueSnapshot& entity, const Site& site);
std::string RuleEntry(std::string_view subscription, const RuleDescription& rule, const Site& site);
// `created_at` is when the namespace was.
std::string NamespaceEntry(Timestamp created_at, const Site& site);

// Where a page of a list is: its path as in the URL, and what was asked for.
struct PagePlace {
  std::string path{};
  std::size_t skip = 0;
  std::size_t top = 0;
};
std::string EntityFeed(const PagePlace& place, const QueuePage& page, const Site& site);
std::string RuleFeed(const PagePlace& place, std::string_view subscription, const RulePage& page,
                     const Site& site);

}  // namespace wharf::atom
