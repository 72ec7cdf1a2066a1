#include "tools/wharf/entities/rule_options.h"

#include <algorithm>
#include <string_view>

#include <fmt/core.h>

#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "tools/wharf/messages/message_options.h"
#include "tools/wharf/text/property_text.h"

namespace wharf::tool {
namespace {

using google::protobuf::FieldDescriptor;

constexpr std::string_view kUserScope = "user.";

// "name=value" each; a comma within a value is none between two of them.
std::vector<std::string> SplitPairs(const std::string& text) {
  std::vector<std::string> pairs;
  const std::vector<std::string> parts = absl::StrSplit(text, ',');
  for (const std::string& part : parts) {
    if (part.find('=') == std::string::npos && !pairs.empty()) {
      pairs.back().append(",").append(part);
    } else {
      pairs.push_back(part);
    }
  }
  return pairs;
}

// Null if the message has no property of that name that a filter compares.
const FieldDescriptor* FindField(std::string_view name) {
  std::string field = absl::StrReplaceAll(std::string(name), {{"-", "_"}});
  if (field == "label") field = "subject";
  const FieldDescriptor* found = v1::CorrelationFilter::descriptor()->FindFieldByName(field);
  return found != nullptr && !found->is_repeated() ? found : nullptr;
}

Status SetPair(const std::string& pair, v1::CorrelationFilter& filter) {
  const std::size_t equals = std::min(pair.find('='), pair.size());
  const std::string_view name = std::string_view(pair).substr(0, equals);
  if (const FieldDescriptor* field = FindField(name); field != nullptr && equals < pair.size()) {
    filter.GetReflection()->SetString(&filter, field, pair.substr(equals + 1));
    return Status::Ok();
  }
  const Result<NamedProperty> property =
      ParseNamedProperty(name.starts_with(kUserScope) ? pair.substr(kUserScope.size()) : pair);
  if (!property.ok()) return property.status();
  (*filter.mutable_application_properties())[property->name] = property->value;
  return Status::Ok();
}

}  // namespace

Result<v1::CorrelationFilter> ParseCorrelation(const std::vector<std::string>& texts) {
  v1::CorrelationFilter filter;
  for (const std::string& text : texts) {
    for (const std::string& pair : SplitPairs(text)) {
      WHARF_RETURN_IF_ERROR(SetPair(pair, filter));
    }
  }
  return filter;
}

void AddRuleOptions(CLI::App& command, GivenRule& given) {
  CLI::Option* sql = command.add_option_function<std::string>(
      "--filter", [&given](const std::string& text) { given.sql = text; },
      "The rule takes what this SQL filter on properties is true for: \"color = 'red' AND quantity "
      "> @least\"; what there is to say stands in messaging.proto");
  sql->type_name("SQL");
  const auto check = [](const std::string& text) {
    const auto parsed = ParseCorrelation({text});
    return parsed.ok() ? std::string() : parsed.status().message();
  };
  CLI::Option* correlation =
      command
          .add_option("--correlation", given.correlation,
                      "The rule takes what has exactly these values: subject=urgent,color=red, of "
                      "correlation-id, message-id, to, reply-to, subject, session-id, "
                      "reply-to-session-id, content-type and application properties (also "
                      "user.NAME, and NAME:TYPE); repeatable")
          ->type_name("NAME[:TYPE]=VALUE,...")
          ->type_size(1)
          ->allow_extra_args(false)
          ->check(CLI::Validator(check, ""));
  CLI::Option* is_true =
      command.add_flag("--true", given.is_true, "The rule takes everything; the default");
  CLI::Option* is_false = command.add_flag("--false", given.is_false, "The rule takes nothing");
  const std::vector<CLI::Option*> filters = {sql, correlation, is_true, is_false};
  for (CLI::Option* one : filters) {
    for (CLI::Option* other : filters) {
      if (one != other) one->excludes(other);
    }
  }
  AddPropertyOption(command, "The value of an @parameter of the filter: least:int32=5; repeatable",
                    given.parameters, "--parameter")
      ->needs(sql);
  CLI::Option* action = command.add_option_function<std::string>(
      "--action", [&given](const std::string& text) { given.action = text; },
      "Statements that change the copies of this rule: \"SET priority = 'high'; REMOVE note\"");
  action->type_name("SQL");
  AddPropertyOption(command, "The value of an @parameter of the action; repeatable",
                    given.action_parameters, "--action-parameter")
      ->needs(action);
}

v1::Rule RuleOf(const GivenRule& given) {
  v1::Rule rule;
  if (given.is_false) {
    rule.mutable_false_filter();
  } else if (given.sql) {
    rule.mutable_sql_filter()->set_text(*given.sql);
    *rule.mutable_sql_filter()->mutable_parameters() = given.parameters;
  } else if (!given.correlation.empty()) {
    const auto filter = ParseCorrelation(given.correlation);
    if (!filter.ok()) throw CLI::ValidationError("--correlation", filter.status().message());
    *rule.mutable_correlation_filter() = *filter;
  } else {
    rule.mutable_true_filter();
  }
  if (given.action) {
    rule.mutable_action()->set_text(*given.action);
    *rule.mutable_action()->mutable_parameters() = given.action_parameters;
  }
  return rule;
}

}  // namespace wharf::tool
