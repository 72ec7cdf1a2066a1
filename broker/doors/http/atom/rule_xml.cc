#include "broker/doors/http/atom/rule_xml.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "broker/doors/common/field_error.h"
#include "broker/doors/http/atom/xml_names.h"
#include "broker/doors/http/atom/xml_time.h"
#include "broker/doors/http/atom/xml_value.h"

namespace wharf::atom {
namespace {

constexpr std::string_view kCompatibilityLevel = "20";

// --- reading

// The text of an SQL filter or action is in the first of these elements that there is.
Result<SqlText> SqlFromXml(const XmlElement& element, const char* name, const char* other) {
  const XmlElement* text = element.Find(name);
  if (text == nullptr) text = element.Find(other);
  if (text == nullptr) return BadValue(element.name.name, fmt::format("has no {}", name));
  SqlText sql{.text = text->text};
  if (const XmlElement* parameters = element.Find("Parameters"); parameters != nullptr) {
    Result<PropertyMap> read = PropertiesFromXml(*parameters);
    if (!read.ok()) return read.status();
    sql.parameters = *std::move(read);
  }
  return sql;
}

struct TextField {
  const char* name;
  std::optional<std::string> CorrelationFilter::*field;
};
constexpr TextField kTextFields[] = {
    {"CorrelationId", &CorrelationFilter::correlation_id},
    {"MessageId", &CorrelationFilter::message_id},
    {"To", &CorrelationFilter::to},
    {"ReplyTo", &CorrelationFilter::reply_to},
    {"Label", &CorrelationFilter::subject},
    {"SessionId", &CorrelationFilter::session_id},
    {"ReplyToSessionId", &CorrelationFilter::reply_to_session_id},
    {"ContentType", &CorrelationFilter::content_type},
};

Result<RuleFilter> CorrelationFromXml(const XmlElement& element) {
  CorrelationFilter filter;
  for (const TextField& each : kTextFields) {
    const XmlElement* const text = element.Find(each.name);
    if (text != nullptr && !text->text.empty()) filter.*each.field = text->text;
  }
  if (const XmlElement* properties = element.Find("Properties"); properties != nullptr) {
    Result<PropertyMap> read = PropertiesFromXml(*properties);
    if (!read.ok()) return read.status();
    filter.application_properties = *std::move(read);
  }
  return RuleFilter(std::move(filter));
}

Result<RuleFilter> FilterFromXml(const XmlElement& element) {
  WHARF_RETURN_IF_ERROR(CheckSaidOnce(element));
  const std::string& type = element.type.name;
  if (type == "TrueFilter") return RuleFilter(TrueFilter());
  if (type == "FalseFilter") return RuleFilter(FalseFilter());
  if (type == "CorrelationFilter") return CorrelationFromXml(element);
  if (type != "SqlFilter") {
    return BadValue("Filter", fmt::format("has the type '{:.64}', which is not known", type));
  }
  Result<SqlText> sql = SqlFromXml(element, "SqlExpression", "SqlFilterExpression");
  if (!sql.ok()) return sql.status();
  return RuleFilter(*std::move(sql));
}

// An older client calls it a filter expression.
Result<std::optional<SqlText>> ActionFromXml(const XmlElement& element) {
  WHARF_RETURN_IF_ERROR(CheckSaidOnce(element));
  const std::string& type = element.type.name;
  if (type == "EmptyRuleAction") return std::optional<SqlText>();
  if (type != "SqlRuleAction" && type != "SqlFilterExpression") {
    return BadValue("Action", fmt::format("has the type '{:.64}', which is not known", type));
  }
  Result<SqlText> sql = SqlFromXml(element, "SqlExpression", "SqlFilterExpression");
  if (!sql.ok()) return sql.status();
  return std::optional(*std::move(sql));
}

// --- writing

void SqlToXml(std::string_view name, std::string_view type, const SqlText& sql, XmlWriter& writer) {
  writer.Open(name, {{"i:type", type}});
  writer.Leaf("SqlExpression", sql.text);
  writer.Leaf("CompatibilityLevel", kCompatibilityLevel);
  PropertiesToXml("Parameters", sql.parameters, writer);
  writer.Close();
}

struct FilterToXml {
  XmlWriter& writer;

  void operator()(const TrueFilter&) const {
    SqlToXml("Filter", "TrueFilter", SqlText{.text = "1=1"}, writer);
  }
  void operator()(const FalseFilter&) const {
    SqlToXml("Filter", "FalseFilter", SqlText{.text = "1=0"}, writer);
  }
  void operator()(const SqlText& sql) const { SqlToXml("Filter", "SqlFilter", sql, writer); }
  void operator()(const CorrelationFilter& filter) const {
    writer.Open("Filter", {{"i:type", "CorrelationFilter"}});
    for (const TextField& each : kTextFields) {
      const std::optional<std::string>& text = filter.*each.field;
      if (text && !text->empty()) writer.Leaf(each.name, *text);
    }
    PropertiesToXml("Properties", filter.application_properties, writer);
    writer.Close();
  }
};

}  // namespace

Result<RuleDescription> RuleFromXml(const XmlElement& element) {
  WHARF_RETURN_IF_ERROR(CheckSaidOnce(element));
  RuleDescription rule;
  if (const XmlElement* name = element.Find("Name"); name != nullptr) rule.name = name->text;
  if (const XmlElement* filter = element.Find("Filter"); filter != nullptr) {
    Result<RuleFilter> read = FilterFromXml(*filter);
    if (!read.ok()) return read.status();
    rule.filter = *std::move(read);
  }
  if (const XmlElement* action = element.Find("Action"); action != nullptr) {
    Result<std::optional<SqlText>> read = ActionFromXml(*action);
    if (!read.ok()) return read.status();
    rule.action = *std::move(read);
  }
  return rule;
}

void RuleToXml(const RuleDescription& rule, XmlWriter& writer) {
  writer.Open("RuleDescription", {{"xmlns", kServiceBusSpace}, {"xmlns:i", kInstanceSpace}});
  std::visit(FilterToXml{writer}, rule.filter);
  if (rule.action) {
    SqlToXml("Action", "SqlRuleAction", *rule.action, writer);
  } else {
    writer.Leaf("Action", "", {{"i:type", "EmptyRuleAction"}});
  }
  writer.Leaf("CreatedAt", TimeToXml(rule.created_at));
  writer.Leaf("Name", rule.name);
  writer.Close();
}

}  // namespace wharf::atom
