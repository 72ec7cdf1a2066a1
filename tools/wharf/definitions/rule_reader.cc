#include "tools/wharf/definitions/rule_reader.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "broker/access/access_rule.h"
#include "broker/core/entities/names.h"
#include "tools/wharf/definitions/object_keys.h"
#include "tools/wharf/entities/rule_text.h"
#include "tools/wharf/text/field_text.h"
#include "tools/wharf/text/property_text.h"

namespace wharf::tool {
namespace {

using google::protobuf::FieldDescriptor;
using Properties = google::protobuf::Map<std::string, v1::PropertyValue>;

constexpr std::string_view kPropertiesKey = "application_properties";

const std::vector<std::string>& FilterKinds() {
  static const std::vector<std::string> kinds = {"true", "false", "sql", "correlation"};
  return kinds;
}

// "kind", and the properties of a message.
std::vector<std::string> CorrelationKeys() {
  std::vector<std::string> keys = {"kind"};
  for (int i = 0; i < v1::CorrelationFilter::descriptor()->field_count(); ++i) {
    keys.push_back(v1::CorrelationFilter::descriptor()->field(i)->name());
  }
  return keys;
}

Status ReadProperties(const Json& object, const JsonPlace& place, std::string_view key,
                      Properties& properties) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  const JsonPlace within = place.Key(key);
  if (!found->is_object()) return within.Bad("this must be an object");
  for (const auto& [name, value] : found->items()) {
    Result<v1::PropertyValue> property = PropertyFromJson(value);
    if (!property.ok()) return within.Key(name).Bad(property.status().message());
    properties[name] = *std::move(property);
  }
  return {};
}

// `json` has the keys of a text, and perhaps others.
Status ReadSql(const Json& json, const JsonPlace& place, v1::SqlText& sql) {
  const Result<std::string> text = TextOf(json, place, "text");
  if (!text.ok()) return text.status();
  sql.set_text(*text);
  return ReadProperties(json, place, "parameters", *sql.mutable_parameters());
}

Status ReadCorrelation(const Json& json, const JsonPlace& place, v1::CorrelationFilter& filter) {
  WHARF_RETURN_IF_ERROR(CheckObject(json, place, CorrelationKeys()));
  for (const auto& [key, value] : json.items()) {
    if (key == "kind" || key == kPropertiesKey) continue;
    const FieldDescriptor& field = *v1::CorrelationFilter::descriptor()->FindFieldByName(key);
    const Status set = value.is_null() ? Status(ErrorCode::kArgumentError, "it must be a string")
                                       : SetFieldFromJson(filter, field, value);
    if (!set.ok()) return place.Key(key).Bad(set.message());
  }
  WHARF_RETURN_IF_ERROR(
      ReadProperties(json, place, kPropertiesKey, *filter.mutable_application_properties()));
  if (filter.ByteSizeLong() > 0) return {};
  return place.Bad("a correlation filter needs a property to compare");
}

Status ReadFilter(const Json& json, const JsonPlace& place, v1::Rule& rule) {
  if (!json.is_object()) return place.Bad("this must be an object");
  const Result<std::string> kind = TextOf(json, place, "kind");
  if (!kind.ok()) return kind.status();
  if (*kind == "sql") {
    WHARF_RETURN_IF_ERROR(CheckObject(json, place, {"kind", "text", "parameters"}));
    return ReadSql(json, place, *rule.mutable_sql_filter());
  }
  if (*kind == "correlation")
    return ReadCorrelation(json, place, *rule.mutable_correlation_filter());
  WHARF_RETURN_IF_ERROR(CheckObject(json, place, {"kind"}));
  if (*kind == "true") rule.mutable_true_filter();
  if (*kind == "false") rule.mutable_false_filter();
  if (rule.filter_case() != v1::Rule::FILTER_NOT_SET) return {};
  return place.Key("kind").Bad("there is no such filter" + WhatWasMeant(*kind, FilterKinds()));
}

Status ReadRight(const Json& json, const JsonPlace& place, access::Rights& rights) {
  if (!json.is_string()) return place.Bad("the value must be a string");
  const auto& name = json.get_ref<const std::string&>();
  std::vector<std::string> names;
  for (const access::Right right : access::kAllRights) {
    if (access::NameOf(right) == name) rights = rights | right;
    if (access::NameOf(right) == name) return {};
    names.emplace_back(access::NameOf(right));
  }
  return place.Bad("there is no such right" + WhatWasMeant(name, names));
}

v1::AccessRight ToProto(access::Right right) {
  switch (right) {
    case access::Right::kSend:
      return v1::ACCESS_RIGHT_SEND;
    case access::Right::kListen:
      return v1::ACCESS_RIGHT_LISTEN;
    case access::Right::kManage:
      return v1::ACCESS_RIGHT_MANAGE;
  }
  return v1::ACCESS_RIGHT_UNSPECIFIED;
}

}  // namespace

Result<v1::Rule> ReadRule(const Json& json, const JsonPlace& place) {
  WHARF_RETURN_IF_ERROR(CheckObject(json, place, {"name", "filter", "action"}));
  const Result<std::string> name = TextOf(json, place, "name");
  if (!name.ok()) return name.status();
  v1::Rule rule;
  rule.set_name(*name);
  if (const Status named = CheckRuleName(*name); !named.ok()) {
    return place.Key("name").Bad(named.message());
  }
  if (!json.contains("filter")) return place.Bad("the key \"filter\" is missing");
  WHARF_RETURN_IF_ERROR(ReadFilter(json["filter"], place.Key("filter"), rule));
  if (!json.contains("action")) return rule;
  const JsonPlace within = place.Key("action");
  WHARF_RETURN_IF_ERROR(CheckObject(json["action"], within, {"text", "parameters"}));
  WHARF_RETURN_IF_ERROR(ReadSql(json["action"], within, *rule.mutable_action()));
  return rule;
}

Result<v1::AccessRule> ReadAccessRule(const Json& json, const JsonPlace& place) {
  WHARF_RETURN_IF_ERROR(CheckObject(json, place, {"name", "rights"}));
  const Result<std::string> name = TextOf(json, place, "name");
  if (!name.ok()) return name.status();
  if (const Status named = access::CheckAccessRuleName(*name); !named.ok()) {
    return place.Key("name").Bad(named.message());
  }
  const Result<Json::array_t> list = ListOf(json, place, "rights");
  if (!list.ok()) return list.status();
  access::Rights rights;
  for (std::size_t i = 0; i < list->size(); ++i) {
    WHARF_RETURN_IF_ERROR(ReadRight((*list)[i], place.Key("rights").Item(i), rights));
  }
  if (rights.empty())
    return place.Bad("an access rule has one right at least: Send, Listen or Manage");
  v1::AccessRule rule;
  rule.set_name(*name);
  for (const access::Right right : access::kAllRights) {
    if (rights.Has(right)) rule.add_rights(ToProto(right));
  }
  return rule;
}

Json WriteRule(const v1::Rule& rule) {
  Json json = ToJson(rule);
  json.erase("created_at");
  return json;
}

Json WriteAccessRule(const v1::AccessRule& rule) {
  Json rights = Json::array();
  for (const access::Right right : access::kAllRights) {
    const bool is_there = std::find(rule.rights().begin(), rule.rights().end(), ToProto(right)) !=
                          rule.rights().end();
    if (is_there) rights.push_back(access::NameOf(right));
  }
  return {{"name", rule.name()}, {"rights", std::move(rights)}};
}

}  // namespace wharf::tool
