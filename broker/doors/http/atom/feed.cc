#include "broker/doors/http/atom/feed.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "broker/core/entities/names.h"
#include "broker/doors/common/field_error.h"
#include "broker/doors/http/atom/entity_xml.h"
#include "broker/doors/http/atom/rule_xml.h"
#include "broker/doors/http/atom/xml_names.h"
#include "broker/doors/http/atom/xml_time.h"
#include "broker/doors/http/atom/xml_writer.h"

namespace wharf::atom {
namespace {

// What an entry says of itself.
struct Head {
  // Clients read the names out of it.
  std::string path{};
  std::string title{};
  Timestamp created_at{};
  Timestamp updated_at{};
};

// `write_content` writes what stands in it.
template <typename Write>
void WriteEntry(const Head& head, const Site& site, bool is_root, XmlWriter& writer,
                Write write_content) {
  const std::string url = site.UrlOf(head.path);
  is_root ? writer.Open("entry", {{"xmlns", kAtomSpace}}) : writer.Open("entry");
  writer.Leaf("id", url);
  writer.Leaf("title", head.title, {{"type", "text"}});
  writer.Leaf("published", TimeToXml(head.created_at));
  writer.Leaf("updated", TimeToXml(head.updated_at));
  writer.Open("author");
  writer.Leaf("name", "wharf");
  writer.Close();
  writer.Leaf("link", "", {{"rel", "self"}, {"href", url}});
  writer.Open("content", {{"type", "application/xml"}});
  write_content(writer);
  writer.Close();
  writer.Close();
}

// A subscription by the name that it has in its topic.
std::string TitleOf(const QueueSnapshot& entity) {
  const std::string& path = entity.record.description.name;
  if (entity.record.kind != EntityKind::kSubscription) return path;
  return std::string(SplitSubscriptionPath(path).name);
}

void WriteEntity(const QueueSnapshot& entity, const Site& site, bool is_root, XmlWriter& writer) {
  const Head head{entity.record.description.name, TitleOf(entity), entity.record.created_at,
                  entity.record.updated_at};
  WriteEntry(head, site, is_root, writer,
             [&](XmlWriter& content) { EntityToXml(entity, site, content); });
}

void WriteRule(std::string_view subscription, const RuleDescription& rule, const Site& site,
               bool is_root, XmlWriter& writer) {
  const Head head{fmt::format("{}/Rules/{}", subscription, rule.name), rule.name, rule.created_at,
                  rule.created_at};
  WriteEntry(head, site, is_root, writer, [&](XmlWriter& content) { RuleToXml(rule, content); });
}

std::string PageUrl(const PagePlace& place, const Site& site, std::size_t skip) {
  return fmt::format("{}&%24skip={}&%24top={}", site.UrlOf(place.path), skip, place.top);
}

// Two links where there is a next page, else one: clients count them. `count` entries are in it.
// azure-sb looks in the id for the path of a list with a '/' behind it.
void OpenFeed(const PagePlace& place, std::size_t count, bool has_more, Timestamp updated_at,
              const Site& site, XmlWriter& writer) {
  writer.Open("feed", {{"xmlns", kAtomSpace}});
  writer.Leaf("title", place.path.substr(place.path.rfind('/') + 1), {{"type", "text"}});
  writer.Leaf("id", site.UrlOf(place.path + '/'));
  writer.Leaf("updated", TimeToXml(updated_at));
  writer.Leaf("link", "", {{"rel", "self"}, {"href", PageUrl(place, site, place.skip)}});
  if (!has_more) return;
  writer.Leaf("link", "", {{"rel", "next"}, {"href", PageUrl(place, site, place.skip + count)}});
}

}  // namespace

Result<XmlElement> ContentOf(std::string_view entry) {
  Result<XmlElement> root = ParseXml(entry);
  if (!root.ok()) return root;
  if (root->name != XmlName{std::string(kAtomSpace), "entry"}) {
    return BadValue("the body", "is no entry of Atom");
  }
  for (XmlElement& content : root->children) {
    if (content.name != XmlName{std::string(kAtomSpace), "content"}) continue;
    if (content.children.size() != 1 || content.children[0].name.space != kServiceBusSpace) {
      return BadValue("the content of the entry", "is not one description of Service Bus");
    }
    XmlElement description = std::move(content.children[0]);
    description.Inherit(content);
    description.Inherit(*root);
    return description;
  }
  return BadValue("the entry", "has no content");
}

std::string EntityEntry(const QueueSnapshot& entity, const Site& site) {
  XmlWriter writer;
  WriteEntity(entity, site, /*is_root=*/true, writer);
  return writer.Take();
}

std::string RuleEntry(std::string_view subscription, const RuleDescription& rule,
                      const Site& site) {
  XmlWriter writer;
  WriteRule(subscription, rule, site, /*is_root=*/true, writer);
  return writer.Take();
}

std::string NamespaceEntry(Timestamp created_at, const Site& site) {
  const std::string name(site.host().substr(0, site.host().rfind(':')));
  XmlWriter writer;
  WriteEntry(
      {"$namespaceinfo", name, created_at, created_at}, site, /*is_root=*/true, writer,
      [&](XmlWriter& content) {
        content.Open("NamespaceInfo", {{"xmlns", kServiceBusSpace}, {"xmlns:i", kInstanceSpace}});
        content.Leaf("CreatedTime", TimeToXml(created_at));
        content.Leaf("MessagingSKU", "Premium");
        content.Leaf("MessagingUnits", "1");
        content.Leaf("ModifiedTime", TimeToXml(created_at));
        content.Leaf("Name", name);
        content.Leaf("NamespaceType", "Messaging");
        content.Close();
      });
  return writer.Take();
}

std::string EntityFeed(const PagePlace& place, const QueuePage& page, const Site& site) {
  Timestamp updated_at{};
  for (const QueueSnapshot& each : page.queues) {
    updated_at = std::max(updated_at, each.record.updated_at);
  }
  XmlWriter writer;
  OpenFeed(place, page.queues.size(), page.has_more, updated_at, site, writer);
  for (const QueueSnapshot& each : page.queues) {
    WriteEntity(each, site, /*is_root=*/false, writer);
  }
  writer.Close();
  return writer.Take();
}

std::string RuleFeed(const PagePlace& place, std::string_view subscription, const RulePage& page,
                     const Site& site) {
  Timestamp updated_at{};
  for (const RuleDescription& each : page.rules) {
    updated_at = std::max(updated_at, each.created_at);
  }
  XmlWriter writer;
  OpenFeed(place, page.rules.size(), page.has_more, updated_at, site, writer);
  for (const RuleDescription& each : page.rules) {
    WriteRule(subscription, each, site, /*is_root=*/false, writer);
  }
  writer.Close();
  return writer.Take();
}

}  // namespace wharf::atom
