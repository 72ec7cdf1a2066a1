#include "tools/wharf/entities/rule_text.h"

#include <algorithm>
#include <cstddef>

#include <fmt/core.h>

#include "tools/client/error.h"
#include "tools/wharf/messages/message_json.h"
#include "tools/wharf/text/field_text.h"
#include "tools/wharf/text/printable_text.h"
#include "tools/wharf/text/property_text.h"
#include "tools/wharf/text/time_text.h"

namespace wharf::tool {
namespace {

using google::protobuf::FieldDescriptor;

Json ToJson(const v1::SqlText& sql) {
  Json json = {{"text", sql.text()}};
  if (!sql.parameters().empty()) json["parameters"] = PropertiesToJson(sql.parameters());
  return json;
}

Json ToJson(const v1::CorrelationFilter& filter) {
  Json json = Json::object();
  for (int i = 0; i < v1::CorrelationFilter::descriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *v1::CorrelationFilter::descriptor()->field(i);
    if (field.is_map()) {
      const auto& properties = filter.application_properties();
      if (!properties.empty()) json[field.name()] = PropertiesToJson(properties);
    } else if (IsSaid(filter, field)) {
      json[field.name()] = FieldToJson(filter, field);
    }
  }
  return json;
}

Json FilterToJson(const v1::Rule& rule) {
  Json json = Json::object();
  switch (rule.filter_case()) {
    case v1::Rule::kSqlFilter:
      json["kind"] = "sql";
      json.update(ToJson(rule.sql_filter()));
      return json;
    case v1::Rule::kCorrelationFilter:
      json["kind"] = "correlation";
      json.update(ToJson(rule.correlation_filter()));
      return json;
    case v1::Rule::kFalseFilter:
      json["kind"] = "false";
      return json;
    case v1::Rule::kTrueFilter:
    case v1::Rule::FILTER_NOT_SET:
      break;
  }
  json["kind"] = "true";
  return json;
}

std::string SqlTextOf(const v1::SqlText& sql) {
  if (sql.parameters().empty()) return sql.text();
  return fmt::format("{}  with {}", sql.text(), ToLine(PropertiesToJson(sql.parameters())));
}

std::string CorrelationText(const v1::CorrelationFilter& filter) {
  Json wanted = ToJson(filter);
  Json properties = Json::object();
  if (wanted.contains("application_properties")) {
    properties = wanted["application_properties"];
    wanted.erase("application_properties");
  }
  std::string text;
  for (const Json& part : {wanted, properties}) {
    for (const auto& [name, value] : part.items()) {
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, ToLine(value));
    }
  }
  return text;
}

std::string OutcomeText(const v1::RuleVerdict& verdict) {
  return FieldToText(verdict, *v1::RuleVerdict::descriptor()->FindFieldByName("outcome"));
}

Json ToJson(const v1::PropertyEvidence& evidence) {
  Json json = {{"name", evidence.name()}};
  if (evidence.has_actual()) json["actual"] = PropertyToJson(evidence.actual());
  if (evidence.has_wanted()) {
    json["wanted"] = PropertyToJson(evidence.wanted());
    json["is_equal"] = evidence.is_equal();
  }
  return json;
}

std::string EvidenceText(const v1::PropertyEvidence& evidence) {
  std::string text =
      evidence.has_actual() ? ToLine(PropertyToJson(evidence.actual())) : "(the message has none)";
  if (evidence.has_wanted() && !evidence.is_equal()) {
    text += fmt::format(", not {}", ToLine(PropertyToJson(evidence.wanted())));
  }
  return text;
}

}  // namespace

Json ToJson(const v1::Rule& rule) {
  Json json = {{"name", rule.name()}, {"filter", FilterToJson(rule)}};
  if (rule.has_action()) json["action"] = ToJson(rule.action());
  json["created_at"] = TimeText(rule.created_at(), TimeDigits::kAll);
  return json;
}

std::string FilterText(const v1::Rule& rule) {
  switch (rule.filter_case()) {
    case v1::Rule::kSqlFilter:
      return SqlTextOf(rule.sql_filter());
    case v1::Rule::kCorrelationFilter:
      return CorrelationText(rule.correlation_filter());
    case v1::Rule::kFalseFilter:
      return "false";
    case v1::Rule::kTrueFilter:
    case v1::Rule::FILTER_NOT_SET:
      break;
  }
  return "true";
}

void PrintRule(Output& out, const v1::Rule& rule) {
  const std::string kind = FilterToJson(rule)["kind"].get<std::string>();
  const auto print = [&out](const std::string& name, const std::string& value) {
    out.Print("  {:<40} {}\n", name, Printable(value));
  };
  print("name", rule.name());
  print("filter." + kind, FilterText(rule));
  if (rule.has_action()) print("action", SqlTextOf(rule.action()));
  print("created_at", TimeText(rule.created_at()));
}

Json ToJson(const v1::RuleVerdict& verdict) {
  Json json = {{"rule", verdict.rule()}, {"outcome", OutcomeText(verdict)}};
  if (verdict.has_error()) {
    const Status error = client::ToStatus(verdict.error());
    json["error"] = {{"reason", ReasonOf(error.code())}, {"message", error.message()}};
  }
  if (verdict.has_copy()) json["copy"] = PropertiesToJson(verdict.copy());
  Json evidence = Json::array();
  for (const auto& each : verdict.evidence()) evidence.push_back(ToJson(each));
  json["evidence"] = std::move(evidence);
  return json;
}

void PrintVerdict(Output& out, const v1::RuleVerdict& verdict) {
  out.Print("{}: {}\n", Printable(verdict.rule()), OutcomeText(verdict));
  std::size_t width = 0;
  for (const auto& each : verdict.evidence()) {
    width = std::max(width, WidthOf(Printable(each.name())));
  }
  for (const auto& each : verdict.evidence()) {
    const std::string name = Printable(each.name());
    out.Print("  {}{}  {}\n", name, std::string(width - WidthOf(name), ' '),
              Printable(EvidenceText(each)));
  }
  if (verdict.has_error()) {
    out.Print("  {}\n", Printable(client::ToStatus(verdict.error()).ToString()));
  }
  if (verdict.has_copy()) out.Print("  copy  {}\n", ToLine(PropertiesToJson(verdict.copy())));
}

}  // namespace wharf::tool
